"""The window: Qt widgets only here, each named after what it shows; what is open lives in gradviz.document."""
