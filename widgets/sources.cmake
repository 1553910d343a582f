# One line a file; pages in alphabetical order.
target_sources(dyno_widgets PRIVATE
    theme.cpp theme.h format.cpp format.h main_window.cpp main_window.h plurals.cpp plurals.h
    bridge/app_context.cpp bridge/app_context.h bridge/job.h bridge/keyring.cpp bridge/keyring.h bridge/run_bridge.cpp bridge/run_bridge.h
    bridge/agreements.cpp bridge/agreements.h
    forms/trust_card.cpp forms/trust_card.h
    forms/foreign_text.cpp forms/foreign_text.h
    forms/card.cpp forms/card.h forms/labels.cpp forms/labels.h
    icons.qrc
    models/failure_text.cpp models/failure_text.h models/live_run_model.cpp models/live_run_model.h models/replay_markers.cpp models/replay_markers.h models/stall_watch.cpp models/stall_watch.h
    models/starved.cpp models/starved.h
    bridge/replay_clock.cpp bridge/replay_clock.h bridge/replay_source.cpp bridge/replay_source.h
    pages/page.h
    pages/marker_slider.cpp pages/marker_slider.h pages/replay_bar.cpp pages/replay_bar.h
    pages/note_keeper.cpp pages/note_keeper.h models/pair_replay.cpp models/pair_replay.h pages/pair_view.cpp pages/pair_view.h
    pages/run_figures.cpp pages/run_notes.cpp pages/run_replay.cpp pages/run_page.cpp pages/run_page.h pages/run_side.cpp pages/run_side.h
    pages/warmup_mover.cpp pages/warmup_mover.h
    plots/export.cpp plots/export.h plots/frame_ticker.cpp plots/frame_ticker.h plots/line_graph.cpp plots/line_graph.h
    plots/counter_plot.cpp plots/counter_plot.h
    plots/latency_plot.cpp plots/latency_plot.h
    plots/plot_card.cpp plots/plot_card.h plots/plot_card_input.cpp plots/plot_items.cpp plots/plot_items.h
    plots/plot_style.cpp plots/plot_style.h
    plots/qcp.h
    bridge/library_worker.cpp bridge/library_worker.h
    forms/banner.cpp forms/banner.h forms/choice_pill.cpp forms/choice_pill.h
    models/comparison.cpp models/comparison.h models/import_text.cpp models/import_text.h
    models/pivot_table_model.cpp models/pivot_table_model.h models/session_model.cpp models/session_model.h
    pages/add_session_dialog.cpp pages/add_session_dialog.h
    pages/compare_page.cpp pages/compare_page.h pages/compare_controls.cpp pages/compare_controls.h
    pages/compare_chart_area.cpp pages/compare_chart_area.h pages/compare_traces.cpp pages/compare_traces.h
    pages/compare_export.cpp pages/compare_export.h pages/compare_missing.cpp pages/compare_missing.h
    pages/compare_views.cpp pages/compare_views.h pages/facts_card.cpp pages/facts_card.h
    pages/ratio_table.cpp pages/ratio_table.h pages/scroll_area.cpp pages/scroll_area.h
    pages/verdict_card.cpp pages/verdict_card.h
    pages/session_delegates.cpp pages/session_delegates.h pages/session_details.cpp pages/session_details.h
    pages/library_menu.cpp pages/library_menu.h
    pages/sessions_page.cpp pages/sessions_page.h pages/sessions_search.cpp pages/sessions_transfer.cpp
    forms/import_dialog.cpp forms/import_dialog.h
    forms/care_dialog.cpp forms/care_dialog.h forms/rerun_dialog.cpp forms/rerun_dialog.h
    plots/pivot_plot.cpp plots/pivot_plot.h plots/pivot_plot_fit.cpp plots/time_overlay_plot.cpp plots/time_overlay_plot.h
    plots/trace_plot.cpp plots/trace_plot.h plots/trace_reader.cpp plots/trace_reader.h plots/strip_plot.cpp plots/strip_plot.h plots/scaling_plot.cpp plots/scaling_plot.h
    plots/chart.cpp plots/chart.h plots/chart_sheet.cpp plots/chart_sheet.h plots/charts.cpp plots/charts.h
    plots/pivot_chart.cpp plots/runs_chart.cpp plots/scaling_chart.cpp plots/latency_chart.cpp plots/course_chart.cpp
    plots/percentiles_chart.cpp plots/heat_chart.cpp
    plots/series_labels.cpp plots/series_labels.h plots/view_charts.cpp plots/view_charts.h
    forms/axes_editor.cpp forms/axes_editor.h forms/field.cpp forms/field.h
    forms/knob_picker.cpp forms/knob_picker.h forms/load_form.cpp forms/load_form.h forms/observe_form.cpp
    forms/option_form.cpp forms/option_form.h forms/plan_summary.cpp forms/plan_summary.h
    forms/preflight_card.cpp forms/preflight_card.h
    forms/recipe_card.cpp forms/recipe_card.h forms/target_form.cpp forms/target_form.h
    forms/target_price.cpp forms/target_price.h
    forms/value_delegate.cpp forms/value_delegate.h forms/wheel_guard.cpp forms/wheel_guard.h forms/workload_form.cpp forms/workload_form.h
    models/axes_model.cpp models/axes_model.h models/case_labels.cpp models/case_labels.h models/knob_model.cpp models/knob_model.h
    models/plan_editor.cpp models/plan_editor.h models/plan_text.cpp models/plan_text.h
    models/pivot_gaps.cpp models/pivot_gaps.h models/points_model.cpp models/points_model.h models/recipe_model.cpp models/recipe_model.h
    models/target_draft.cpp models/target_draft.h
    pages/plan_page.cpp pages/plan_page.h pages/start_page.cpp pages/start_page.h
    bridge/server_worker.cpp bridge/server_worker.h
    forms/price_fields.cpp forms/price_fields.h forms/server_dialogs.cpp forms/server_dialogs.h forms/server_list.cpp forms/server_list.h
    models/server_list_model.cpp models/server_list_model.h models/variables_model.cpp models/variables_model.h
    pages/left_changes.cpp pages/left_changes.h pages/server_details.cpp pages/server_details.h
    pages/servers_page.cpp pages/servers_page.h pages/servers_page_instances.cpp
    forms/about_form.cpp forms/about_form.h forms/table_columns.cpp forms/table_columns.h forms/size_dialog.cpp forms/size_dialog.h
)
