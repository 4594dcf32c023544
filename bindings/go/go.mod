module nxs

go 1.25
