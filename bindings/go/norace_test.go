// SPDX-License-Identifier: Apache-2.0 OR MIT

//go:build !race

package nxs_test

const raceDetector = false
