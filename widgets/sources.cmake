# One line a file; pages in alphabetical order.
target_sources(dyno_widgets PRIVATE
    theme.cpp theme.h format.cpp format.h main_window.cpp main_window.h
    bridge/app_context.cpp bridge/app_context.h bridge/job.h bridge/run_bridge.cpp bridge/run_bridge.h
    forms/card.cpp forms/card.h forms/labels.cpp forms/labels.h
    icons.qrc
    models/live_run_model.cpp models/live_run_model.h
    bridge/replay_source.cpp bridge/replay_source.h
    pages/page.h
    pages/run_page.cpp pages/run_page.h
    plots/export.cpp plots/export.h plots/frame_ticker.cpp plots/frame_ticker.h
    plots/plot_card.cpp plots/plot_card.h plots/plot_items.cpp plots/plot_items.h
    plots/plot_style.cpp plots/plot_style.h
    plots/qcp.h
    bridge/library_worker.cpp bridge/library_worker.h
    forms/banner.cpp forms/banner.h forms/choice_pill.cpp forms/choice_pill.h
    models/comparison.cpp models/comparison.h
    models/pivot_table_model.cpp models/pivot_table_model.h models/session_model.cpp models/session_model.h
    pages/compare_page.cpp pages/compare_page.h pages/compare_export.cpp
    pages/compare_parts.cpp pages/compare_parts.h
    pages/session_delegates.cpp pages/session_delegates.h pages/session_details.cpp pages/session_details.h
    pages/sessions_page.cpp pages/sessions_page.h
    plots/pivot_plot.cpp plots/pivot_plot.h plots/time_overlay_plot.cpp plots/time_overlay_plot.h
)
