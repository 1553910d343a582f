# One line a file; pages in alphabetical order.
target_sources(dyno_widgets PRIVATE
    theme.cpp theme.h format.cpp format.h main_window.cpp main_window.h
    bridge/app_context.cpp bridge/app_context.h bridge/job.h bridge/run_bridge.cpp bridge/run_bridge.h
    pages/page.h
    plots/qcp.h
)
