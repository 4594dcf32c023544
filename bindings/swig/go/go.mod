module nxs

go 1.21
