"""What people see. Renderers return rich renderables; only the command line prints."""
