"""The docks' panes: each follows the hub, is caught up when it opens late, and never keeps the window waiting."""
