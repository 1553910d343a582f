# One line a file; pages in alphabetical order.
target_sources(dyno_widgets PRIVATE
    theme.cpp theme.h format.cpp format.h main_window.cpp main_window.h plurals.cpp plurals.h
    bridge/app_context.cpp bridge/app_context.h bridge/job.h bridge/keyring.cpp bridge/keyring.h bridge/run_bridge.cpp bridge/run_bridge.h
    bridge/agreements.cpp bridge/agreements.h bridge/recipe_book.cpp bridge/recipe_book.h bridge/recipe_dialog.cpp bridge/recipe_dialog.h
    parts/trust_card.cpp parts/trust_card.h
    parts/foreign_text.cpp parts/foreign_text.h
    parts/card.cpp parts/card.h parts/labels.cpp parts/labels.h
    icons.qrc
    parts/failure_text.cpp parts/failure_text.h run/live_run_model.cpp run/live_run_model.h run/replay_markers.cpp run/replay_markers.h
    parts/starved.cpp parts/starved.h
    run/replay_clock.cpp run/replay_clock.h run/replay_source.cpp run/replay_source.h
    parts/page.h
    run/marker_slider.cpp run/marker_slider.h run/replay_bar.cpp run/replay_bar.h
    run/note_editor.cpp run/note_editor.h run/pair_replay.cpp run/pair_replay.h run/pair_view.cpp run/pair_view.h
    run/run_key_figures.cpp run/run_key_figures.h run/note_controls.cpp run/note_controls.h run/shown_run.cpp run/shown_run.h
    run/run_page.cpp run/run_page.h run/run_side.cpp run/run_side.h
    run/warmup_mover.cpp run/warmup_mover.h
    run/statements_card.cpp run/statements_card.h run/statements_dialog.cpp run/statements_dialog.h
    run/snapshots_dialog.cpp run/snapshots_dialog.h
    plots/export.cpp plots/export.h plots/frame_ticker.cpp plots/frame_ticker.h plots/line_graph.cpp plots/line_graph.h
    run/measure_plot.cpp run/measure_plot.h run/run_measures.cpp run/run_measures.h
    run/plot_stack.cpp run/plot_stack.h run/run_presets.cpp run/run_presets.h
    run/series_model.cpp run/series_model.h run/series_panel.cpp run/series_panel.h
    plots/latency_plot.cpp plots/latency_plot.h
    plots/plot_card.cpp plots/plot_card.h plots/plot_input.cpp plots/plot_input.h plots/plot_items.cpp plots/plot_spots.cpp plots/plot_items.h
    plots/phase_band.cpp plots/phase_band.h plots/plot_phase.h
    plots/plot_table.cpp plots/plot_table.h plots/crosshair_group.cpp plots/crosshair_group.h
    plots/plot_style.cpp plots/plot_style.h
    plots/qcp.h
    bridge/library_worker.cpp bridge/library_worker.h
    parts/banner.cpp parts/banner.h parts/choice_pill.cpp parts/choice_pill.h
    plots/comparison.cpp plots/comparison.h sessions/import_text.cpp sessions/import_text.h
    plots/pivot_table_model.cpp plots/pivot_table_model.h sessions/session_model.cpp sessions/session_model.h
    compare/add_session_dialog.cpp compare/add_session_dialog.h plots/formula_dialog.cpp plots/formula_dialog.h
    compare/compare_page.cpp compare/compare_page.h compare/compare_controls.cpp compare/compare_controls.h
    compare/compare_chart_area.cpp compare/compare_chart_area.h compare/scale_switch.cpp compare/scale_switch.h compare/compare_traces.cpp compare/compare_traces.h
    compare/compare_export.cpp compare/compare_export.h compare/compare_missing.cpp compare/compare_missing.h
    compare/compare_views.cpp compare/compare_views.h compare/facts_card.cpp compare/facts_card.h
    compare/ratio_table.cpp compare/ratio_table.h parts/scroll_area.cpp parts/scroll_area.h
    compare/verdict_card.cpp compare/verdict_card.h
    sessions/session_digests.cpp sessions/session_digests.h
    sessions/session_delegates.cpp sessions/session_delegates.h sessions/session_details.cpp sessions/session_details.h
    sessions/library_menu.cpp sessions/library_menu.h
    sessions/sessions_page.cpp sessions/sessions_page.h sessions/session_actions.cpp sessions/session_actions.h
    sessions/session_edits.cpp sessions/session_edits.h sessions/session_listing.cpp sessions/session_listing.h
    sessions/session_search.cpp sessions/session_search.h sessions/session_transfer.cpp sessions/session_transfer.h
    sessions/import_dialog.cpp sessions/import_dialog.h
    sessions/care_dialog.cpp sessions/care_dialog.h sessions/rerun_dialog.cpp sessions/rerun_dialog.h
    plots/pivot_plot.cpp plots/pivot_plot.h plots/bar_legend.cpp plots/bar_legend.h plots/bar_names.cpp plots/bar_names.h
    plots/clip_marks.cpp plots/clip_marks.h plots/limit_lines.cpp plots/limit_lines.h plots/published_figures.cpp plots/published_figures.h plots/published_lane.cpp plots/published_lane.h plots/time_overlay_plot.cpp plots/time_overlay_plot.h
    plots/trace_plot.cpp plots/trace_plot.h plots/trace_reader.cpp plots/trace_reader.h plots/strip_plot.cpp plots/strip_plot.h plots/scaling_plot.cpp plots/scaling_plot.h plots/sync_plot.cpp plots/sync_plot.h
    plots/chart.cpp plots/chart.h plots/chart_sheet.cpp plots/chart_sheet.h plots/charts.cpp
    plots/pivot_chart.cpp plots/runs_chart.cpp plots/scaling_chart.cpp plots/sync_chart.cpp plots/latency_chart.cpp plots/course_chart.cpp
    plots/percentiles_chart.cpp plots/heat_chart.cpp
    plots/series_labels.cpp plots/series_labels.h plots/view_charts.cpp plots/view_charts.h
    plan/axes_editor.cpp plan/axes_editor.h parts/field.cpp parts/field.h
    plan/knob_picker.cpp plan/knob_picker.h plan/load_form.cpp plan/load_form.h plan/observe_form.cpp plan/observe_form.h
    plan/script_editor.cpp plan/script_editor.h plan/script_page.cpp plan/script_page.h plan/script_try_card.cpp plan/script_try_card.h
    plan/option_form.cpp plan/option_form.h plan/plan_summary.cpp plan/plan_summary.h
    plan/preflight_card.cpp plan/preflight_card.h
    start/guide_dialog.cpp start/guide_dialog.h start/recipe_card.cpp start/recipe_card.h start/continue_row.cpp start/continue_row.h start/start_reading.cpp start/start_reading.h
    plots/chart_preview.cpp plots/chart_preview.h plots/session_digest.cpp plots/session_digest.h
    bridge/last_plan.cpp bridge/last_plan.h parts/split_button.cpp parts/split_button.h
    plan/target_form.cpp plan/target_form.h
    plan/target_path.cpp plan/target_price.cpp plan/target_path.h plan/target_price.h
    plan/value_delegate.cpp plan/value_delegate.h parts/wheel_guard.cpp parts/wheel_guard.h
    plan/workload_form.cpp plan/workload_form.h plan/workload_list.cpp plan/workload_list.h
    plan/axes_model.cpp plan/axes_model.h plan/case_labels.cpp plan/case_labels.h plan/knob_model.cpp plan/knob_model.h
    plan/plan_editor.cpp plan/plan_editor.h parts/plan_text.cpp parts/plan_text.h
    plots/pivot_gaps.cpp plots/pivot_gaps.h plan/points_model.cpp plan/points_model.h start/recipe_model.cpp start/recipe_model.h
    plan/chart_picker.cpp plan/chart_picker.h plan/knob_header.cpp plan/knob_header.h
    plan/run_order.cpp plan/run_order.h plan/time_bar.cpp plan/time_bar.h
    plan/target_draft.cpp plan/target_draft.h
    plan/check_list.cpp plan/check_list.h plan/plan_steps.cpp plan/plan_steps.h plan/step_card.cpp plan/step_card.h plan/step_lines.cpp plan/step_lines.h
    plan/plan_page.cpp plan/plan_page.h start/start_page.cpp start/start_page.h
    bridge/server_worker.cpp bridge/server_worker.h
    parts/price_fields.cpp parts/price_fields.h servers/server_dialogs.cpp servers/server_dialogs.h servers/server_list.cpp servers/server_list.h
    plan/server_list_model.cpp plan/server_list_model.h servers/variables_model.cpp servers/variables_model.h
    servers/left_changes.cpp servers/left_changes.h servers/server_details.cpp servers/server_details.h
    servers/servers_page.cpp servers/servers_page.h servers/instance_controls.cpp servers/instance_controls.h
    servers/remote_controls.cpp servers/remote_controls.h servers/left_changes_controls.cpp servers/left_changes_controls.h
    servers/left_space_row.cpp servers/left_space_row.h
    plan/about_form.cpp plan/about_form.h parts/table_columns.cpp parts/table_columns.h plan/size_dialog.cpp plan/size_dialog.h
    run/run_baseline.cpp run/run_baseline.h
    run/run_banner.cpp run/run_banner.h run/run_head.cpp run/run_head.h run/run_plots.cpp run/run_plots.h
    run/session_end.cpp run/session_end.h
    document_style.cpp document_style.h
    manual/manual_window.cpp manual/manual_window.h manual/manual_browser.cpp manual/manual_browser.h
    manual/manual_lists.cpp manual/manual_lists.h
    bridge/library_undo.cpp bridge/library_undo.h preferences.cpp preferences.h parts/commands.cpp parts/commands.h
    desktop/about_dialog.cpp desktop/about_dialog.h desktop/language.cpp desktop/language.h
    desktop/pseudo_language.cpp desktop/pseudo_language.h
    desktop/settings_dialog.cpp desktop/settings_dialog.h
    desktop/command_palette.cpp desktop/command_palette.h desktop/fuzzy.cpp desktop/fuzzy.h
    desktop/shortcuts_dialog.cpp desktop/shortcuts_dialog.h
    desktop/session_notices.cpp desktop/session_notices.h
    parts/file_dialog.cpp parts/file_dialog.h parts/question.cpp parts/question.h
    parts/run_status_text.cpp parts/run_status_text.h parts/path_text.cpp parts/path_text.h
    parts/dialog.cpp parts/dialog.h run/event_list.cpp run/event_list.h run/moved_card.cpp run/moved_card.h
    run/session_log.cpp run/session_log.h
    plan/script_completion.cpp plan/script_completion.h plan/script_tables_card.cpp plan/script_tables_card.h
    bridge/workload_book.cpp bridge/workload_book.h plan/save_workload_dialog.cpp plan/save_workload_dialog.h
    plan/sources_form.cpp plan/sources_form.h
    bridge/series_edits.cpp bridge/series_edits.h bridge/add_series_dialog.cpp bridge/add_series_dialog.h
    plan/load_parts_model.cpp plan/load_parts_model.h plan/load_parts_form.cpp plan/load_parts_form.h
    plots/stall_words.cpp plots/stall_words.h
    plots/knee_marks.cpp plots/knee_marks.h
    parts/names_completer.cpp parts/names_completer.h
)
