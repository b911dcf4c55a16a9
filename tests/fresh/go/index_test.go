package main

import (
	"testing"
	"time"
)

func TestIndex(_ *testing.T) { rebuild_index(time.Now().Add(runFor())) }
