// Generated from the OpenAPI document by generate.ts. Do not edit.
export type Account = { id: string; name: string; phone_id: string; business_id: string; business_proven: boolean; app_id: string | null; messaging_account_id: string | null; portfolio_id: string | null; phone_number: string | null; display_phone_number: string | null; verified_name: string | null; api_version: string; status: "pending" | "active" | "disconnected" | "suspended"; status_reason: string | null; quality_rating: "GREEN" | "YELLOW" | "RED" | "UNKNOWN"; messaging_limit_tier: string | null; throughput_level: "STANDARD" | "HIGH" | "COEXISTENCE"; throughput_limit: number; is_default_incoming: boolean; is_default_outgoing: boolean; auto_read_receipt: boolean; marketing_path: { status: "unknown" | "eligible" | "onboarded" | "off"; policy: "fallback" | "strict" }; direct_send: { refused_since: string | null }; funding: AccountFunding; is_test_number: boolean; registered: boolean | null; code_verification_status: string | null; business_verification_status: string | null; is_on_phone_app: boolean; phone_app_sync: { until: string | null; contacts: "waiting" | "requested" | "done" | "declined" | "missed"; history: "waiting" | "requested" | "done" | "declined" | "missed"; history_progress: number | null } | null; routing_roles: string[] | null; subscribed: boolean; subscribed_at: string | null; token_expires_at: string | null; has_access_token: boolean; has_app_secret: boolean; has_webhook_verify_token: boolean; has_pin: boolean; has_flow_key: boolean; last_inbound_at: string | null; last_checked_at: string | null; last_error: { code: string; message: string; at: string } | null; paused_until: string | null; restricted_since: string | null; restricted_until: string | null; template_sync: { at: string; synced: number | null; new: number | null; updated: number | null; removed: number | null; unchanged: number | null; error: string | null } | null; created_by: string | null; created_at: string; updated_at: string }
export type AccountChanges = { name?: string; phone_id?: string; phone_number_id?: string; business_id?: string; waba_id?: string; access_token?: string; app_id?: string | null; messaging_account_id?: string | null; app_secret?: string | null; webhook_verify_token?: string | null; pin?: string | null; api_version?: string; is_default_incoming?: boolean; is_default_outgoing?: boolean; auto_read_receipt?: boolean; marketing_path?: { policy: "fallback" | "strict" }; verify?: boolean }
export type AccountFunding = { state: "attached" | "missing" | "unknown"; source: "funding_id" | "health" | "refused" | "billed" | "person" | null; checked_at: string | null; billing_url: string }
export type AccountHealth = { status: "pending" | "active" | "disconnected" | "suspended"; last_error: { code: string; message: string; at: string } | null; last_inbound_at: string | null; last_send_ok_at: string | null; queue_depth: number; oldest_pending_at: string | null; unrouted_24h: number; failed_rate_1h: number; quality_history: ({ at: string; from: string | null; to: string | null })[]; limits: { tier: string | null; used_24h: number }; billing_timezone: string; funding: AccountFunding; service_allowance: { free: number; used: number; resets_at: string; held: boolean } | null; cost_month: CostMonth | null; unknown_fields: { field: string; count_24h: number; last_at: string }[] }
export type AccountPage = { items: Account[]; total: number | null; page: number | null; limit: number; total_pages: number | null; accounts: Account[] }
export type AccountRegistered = { registered: boolean }
export type AccountRegistration = { pin?: string; data_localization_region?: string }
export type AccountRouting = { shared: boolean; roles: string[] | null; is_standby: boolean | null; checked_at: string | null; last_standby_at: string | null; counts_24h: { ours: number; platform_agent: number; other_app: number } }
export type AccountSubscribed = { subscribed: boolean; fields: string[] }
export type AccountSubscription = { override_callback?: boolean }
export type AccountTest = { connected: boolean; phone_number: string | null; display_phone_number: string | null; verified_name: string | null; quality_rating: "GREEN" | "YELLOW" | "RED" | "UNKNOWN" | null; messaging_limit_tier: string | null; code_verification_status: "VERIFIED" | "NOT_VERIFIED" | "EXPIRED" | null; account_mode: "LIVE" | "SANDBOX" | null; is_test_number: boolean | null; token: { valid: boolean; expires_at: string | null; scopes: string[] } | null; can_send: "AVAILABLE" | "LIMITED" | "BLOCKED" | null; subscribed: boolean | null; warnings: string[]; error: { code: string; message: string; platform_code: number | null } | null }
export type AccountUnsubscribed = { subscribed: boolean }
export type AccountVerifyToken = { verify_token: string | null }
export type AccountWebhookConfig = { callback_url: string; fields: string[] }
export type Acknowledgement = { status: "ok" }
export type AddTeamMemberResult = { member: TeamMember }
export type AgentComparison = { agents: AgentFigures[]; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type AgentFigures = { user_id: string; full_name: string; is_available: boolean; active_transfers: number; transfers_handled: number; avg_queue_seconds: number; avg_first_response_seconds: number; median_first_response_seconds: number; avg_resolution_seconds: number; sla_breached: number; messages_sent: number; available_seconds: number; away_seconds: number; breaks: number }
export type AgentList = { items: AgentFigures[]; total: number; page: number; limit: number; total_pages: number; summary: AgentSummary; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type AgentPoint = { date: string; transfers_handled: number; avg_queue_seconds: number; avg_first_response_seconds: number; median_first_response_seconds: number; avg_resolution_seconds: number; sla_breached: number; messages_sent: number; available_seconds: number; away_seconds: number; breaks: number }
export type AgentReport = { agent: AgentFigures; timeline: AgentPoint[]; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type AgentSummary = { active_transfers: number; transfers_handled: number; avg_queue_seconds: number; avg_first_response_seconds: number; median_first_response_seconds: number; avg_resolution_seconds: number; sla_breached: number; messages_sent: number; available_seconds: number; away_seconds: number; breaks: number }
export type AiCompliance = { generated_at: string; organization: { id: string; name: string }; numbers: ({ account_id: string | null; name: string | null; enabled: boolean; purpose: string | null; system_prompt: string | null; disclosure: "always" | "first_in_session" | "off"; disclosure_texts: Record<string, string>; provider: string | null; model: string | null; data_destination: string | null; data_sent: string[]; history_messages: number; data_terms: { confirmed: boolean; at: string | null; by: string | null }; no_store_requested: boolean; ways_to_a_person: { transfer_keywords: string[]; person_words_languages: string[]; fallback_transfer_after: number | null; ai_handover: boolean } })[]; article_50: { paragraph: number; applies_from: string; duty: string; here: string }[]; api_contexts: { id: string; name: string; host: string }[]; retention: { messages_days: number | null; usage_rows_hold: string }; last_30_days: { requests: number; handovers: number } }
export type AiContext = { id: string; name: string; context_type: "static" | "api"; api_config: { url: string; method: "GET" | "POST"; headers: Record<string, string>; body: string | null; response_path: string | null; cache_seconds: number } | null; document: AiDocument | null; trigger_keywords: string[]; priority: number; enabled: boolean; account_id: string | null; created_at: string; updated_at: string; content: string | null }
export type AiContextChanges = { name?: string; content?: string | null; api_config?: NewAiApiConfig | null; trigger_keywords?: string[]; priority?: number; enabled?: boolean; account_id?: string | null }
export type AiContextItem = { id: string; name: string; context_type: "static" | "api"; api_config: { url: string; method: "GET" | "POST"; headers: Record<string, string>; body: string | null; response_path: string | null; cache_seconds: number } | null; document: AiDocument | null; trigger_keywords: string[]; priority: number; enabled: boolean; account_id: string | null; created_at: string; updated_at: string; content?: string | null }
export type AiContextItemPage = { items: AiContextItem[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type AiContextQuestion = { question?: string }
export type AiContextTest = { success: boolean; content: string | null; chunks: string[]; duration_ms: number; error: string | null }
export type AiDocument = { filename: string | null; size_bytes: number; state: "reading" | "ready" | "failed"; error: string | null; pages: number | null; characters: number; chunks: number }
export type AiTest = { message: string; account_id?: string | null }
export type AiTestResult = { success: boolean; outcome: "answer" | "handover" | "off_topic" | "empty" | "failed"; answer: string | null; provider: "openai" | "anthropic" | "google"; model: string; input_tokens: number; output_tokens: number; cost_usd: number | null; duration_ms: number; error: { kind: "timeout" | "unreachable" | "refused_address" | "too_large" | "malformed" | "auth" | "rate_limited" | "rejected" | "server_error"; status: number | null; message: string } | null }
export type AiUsage = { total_requests: number; input_tokens: number; output_tokens: number; total_tokens: number; estimated_cost: number | null; budget: { daily: number | null; monthly: number | null; used_today: number; used_this_month: number }; by_day: ({ date: string; requests: number; failed: number; input_tokens: number; output_tokens: number; total_tokens: number; estimated_cost: number | null })[] }
export type ApiKey = { id: string; name: string; key_prefix: string; permissions: PermissionKey[]; is_active: boolean; expires_at: string | null; last_used_at: string | null; last_used_ip: string | null; owner: { id: string; full_name: string }; usable: boolean; created_at: string }
export type ApiKeyChanges = { name?: string; is_active?: boolean; permissions?: PermissionKey[]; expires_at?: string | null }
export type ApiKeyPage = { items: ApiKey[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type Assignment = { user_id?: string | null; team_id?: string | null }
export type AssignmentView = { id: string; assigned_to: string | null; assigned_team_id: string | null; updated_at: string }
export type AudioContent = { caption: string | null; mime_type: string | null; filename: string | null; sha256: string | null; size_bytes: number | null; errors?: Record<string, unknown>[]; voice: boolean }
export type AudioMessage = (MessageFields) & ({ type: "audio"; content: AudioContent })
export type AuditEntry = { id: string; organization_id: string; actor_type: "user" | "api_key" | "system"; user_id: string | null; user_name: string | null; api_key_id: string | null; action: "archived" | "assigned" | "blocked" | "bulk_add_tags" | "bulk_assign" | "bulk_change" | "bulk_delete" | "bulk_opt_out" | "bulk_remove_tags" | "bulk_set_attribute" | "cancelled" | "claimed" | "confirmed" | "created" | "deleted" | "deprecated" | "discarded" | "downloaded" | "duplicated" | "erased" | "executed" | "exported" | "flow_key_renewed" | "import_undone" | "imported" | "invitation_accepted" | "invitation_revoked" | "invited" | "key_taken_over" | "member_added" | "member_removed" | "merge_undone" | "merged" | "move_aborted" | "move_forced" | "move_started" | "opted_in" | "opted_out" | "outbox_cancelled" | "password_changed" | "password_reset" | "paused" | "profile_updated" | "published" | "registered" | "released" | "replayed" | "resent" | "restored" | "resumed" | "retried" | "role_changed" | "saved_to_platform" | "scheduled" | "sending_paused" | "sending_resumed" | "session_ended" | "sign_in_failed" | "signed_in" | "signed_out" | "snoozed" | "started" | "subscribed" | "suspended" | "switched_organization" | "synced" | "thread_passed" | "thread_released" | "thread_taken" | "token_reused" | "two_factor_disabled" | "two_factor_enabled" | "unblocked" | "unsubscribed" | "updated" | "verified" | "verify_token_read"; resource_type: string; resource_id: string | null; resource_name: string | null; changes: { field: string; old_value: unknown; new_value: unknown }[]; ip_address: string | null; user_agent: string | null; request_id: string | null; created_at: string }
export type AuditEntryPage = { items: AuditEntry[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type Availability = { is_available: boolean }
export type AvailabilityView = { message: string; is_available: boolean; status: "available" | "away"; break_started_at: string | null; transfers_to_queue: number }
export type Backup = { id: string; state: "running" | "completed" | "failed"; label: string | null; automatic: boolean; size_bytes: number | null; sha256: string | null; schema_version: string | null; started_at: string; finished_at: string | null; verified: boolean; row_counts: Record<string, number> | null; files: { count: number; size_bytes: number; missing: number } | null; error: string | null }
export type BackupCodes = { backup_codes: string[] }
export type BackupPage = { items: Backup[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type BlockedContact = { id: string; name: string | null; profile_name: string | null; display_name: string | null; phone_number: string | null; wa_id: string | null; user_id: string | null; parent_user_id: string | null; username: string | null; country: string | null; language: string | null; avatar_url: string | null; account_id: string | null; assigned_to: string | null; assigned_user: { id: string; full_name: string } | null; assigned_team_id: string | null; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[]; metadata: Record<string, unknown>; attributes: Record<string, unknown>; marketing_consent: "unknown" | "opted_in" | "opted_out"; blocked: boolean; blocked_at: string | null; source: "inbound" | "manual" | "import" | "api" | "campaign" | "phone_app"; first_seen_at: string; last_message_at: string | null; last_message_preview: string | null; last_inbound_at: string | null; window_expires_at: string | null; unread_count: number; created_at: string; updated_at: string; platform_blocked: boolean }
export type Board = { widgets: Widget[]; is_default: boolean }
export type BoardChanges = { widgets: ({ id?: string; title: string; report: "dashboard" | "messages" | "chatbot" | "agents" | "campaigns" | "costs"; metric: string; kind: "number" | "line" | "bar" | "table"; period: "today" | "week" | "month" | "quarter" | "year"; filters?: Record<string, unknown>; compare?: boolean })[] }
export type BotFlow = { id: string; name: string; description: string | null; trigger_keywords: string[]; enabled: boolean; version: number | null; has_draft: boolean; account_id: string | null; updated_at: string; trigger_match_type: "exact" | "contains" | "starts_with" | "regex"; priority: number; initial_message: string | null; completion_message: string | null; on_complete_action: "none" | "webhook"; completion_config: { url: string; method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers: Record<string, string>; body: string | null } | null; cancel_keywords: string[]; cancel_message: string | null; timeout_minutes: number | null; timeout_message: string | null; panel_config: BotFlowPanel | null; graph: Record<string, unknown>; warnings: { path: string; message: string }[]; created_by: string | null; created_at: string }
export type BotFlowChanges = { name?: string; graph?: Record<string, unknown>; description?: string | null; account_id?: string | null; trigger_keywords?: string[]; trigger_match_type?: "exact" | "contains" | "starts_with" | "regex"; priority?: number; enabled?: boolean; publish?: boolean; initial_message?: string | null; completion_message?: string | null; on_complete_action?: "none" | "webhook"; completion_config?: BotFlowCompletion | null; cancel_keywords?: string[]; cancel_message?: string | null; timeout_minutes?: number | null; timeout_message?: string | null; panel_config?: NewBotFlowPanel | null }
export type BotFlowCompletion = { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, unknown>; body?: string | null }
export type BotFlowCopy = { name?: string }
export type BotFlowFigures = { flow_id: string; flow_name: string | null; conversations: number; completed: number; transferred: number; abandoned: number; completion_rate: number; drop_off: ({ node_id: string; label: string | null; count: number })[] }
export type BotFlowFromTemplate = { template_key: "welcome_menu" | "faq_ai" | "order_status" | "appointment" | "feedback" | "away"; name: string; account_id?: string | null; language?: "en" | "de" | "es" | "pt" | "ar" }
export type BotFlowPanel = { sections: ({ id: string; label: string; columns: number; collapsible: boolean; default_collapsed: boolean; order: number; fields: ({ key: string; label: string; order: number; display_type: "text" | "badge" | "tag"; color?: "blue" | "red" | "green" | "yellow" | "purple" | "gray" | null })[] })[] }
export type BotFlowStart = { contact_id: string; account_id?: string; variables?: Record<string, unknown>; replace?: boolean }
export type BotFlowSummary = { id: string; name: string; description: string | null; trigger_keywords: string[]; enabled: boolean; version: number | null; has_draft: boolean; account_id: string | null; updated_at: string }
export type BotFlowSummaryPage = { items: BotFlowSummary[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type BotFlowTemplate = { key: "welcome_menu" | "faq_ai" | "order_status" | "appointment" | "feedback" | "away"; name: string; description: string; languages: ("en" | "de" | "es" | "pt" | "ar")[]; graph: Record<string, unknown> }
export type BotFlowTemplatePage = { items: BotFlowTemplate[] }
export type BotFlowVersion = { version: number; published_at: string; published_by: string | null; published_by_name: string | null; graph: Record<string, unknown> }
export type BotFlowVersionSummary = { version: number; published_at: string; published_by: string | null; published_by_name: string | null }
export type BotFlowVersionSummaryPage = { items: BotFlowVersionSummary[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type BotPreview = { replies: { id: string; message: Record<string, unknown>; ai_generated: boolean }[]; trace: BotTraceEntry[]; session: BotPreviewSession | null; outcome: { answered: boolean; conversation_state: "open" | "pending" | "closed" | null; effects: Record<string, unknown>[] } }
export type BotPreviewRequest = { message?: string | { text: string } | { button_id: string; title?: string } | { form: Record<string, unknown>; flow_id?: string }; messages?: ((string | { text: string } | { button_id: string; title?: string } | { form: Record<string, unknown>; flow_id?: string }))[]; contact_id?: string; account_id?: string; variables?: Record<string, unknown>; flow_id?: string; graph?: Record<string, unknown>; at?: string; session?: BotPreviewSession; execute_http?: boolean; execute_ai?: boolean }
export type BotPreviewSession = { id: string; status: "active" | "completed" | "cancelled" | "transferred" | "timed_out" | "failed"; waiting_for: "reply" | "form" | "timer" | "http" | null; current_flow_id: string | null; flow_version: number | null; current_step: string | null; variables: Record<string, unknown>; steps: number; seq: number; retries: number; choices: { id: string; title: string }[] | null; fallbacks: number; question?: string | null; language?: string | null; is_disclosed: boolean; ai_variables?: Record<string, string>; is_greeted?: boolean; end_reason: string | null }
export type BotSession = { id: string; contact_id: string; account_id: string; status: "active" | "completed" | "cancelled" | "transferred" | "timed_out" | "failed"; waiting_for: "reply" | "form" | "timer" | "http" | null; current_flow_id: string | null; flow_version: number | null; current_step: string | null; started_at: string; last_activity: string; ended_at: string | null; end_reason: string | null; variables: Record<string, unknown> }
export type BotSessionDetails = { id: string; contact_id: string; account_id: string; status: "active" | "completed" | "cancelled" | "transferred" | "timed_out" | "failed"; waiting_for: "reply" | "form" | "timer" | "http" | null; current_flow_id: string | null; flow_version: number | null; current_step: string | null; started_at: string; last_activity: string; ended_at: string | null; end_reason: string | null; variables: Record<string, unknown>; messages: Message[]; trace: BotTraceEntry[] }
export type BotSessionItem = { id: string; contact_id: string; account_id: string; status: "active" | "completed" | "cancelled" | "transferred" | "timed_out" | "failed"; waiting_for: "reply" | "form" | "timer" | "http" | null; current_flow_id: string | null; flow_version: number | null; current_step: string | null; started_at: string; last_activity: string; ended_at: string | null; end_reason: string | null; variables?: Record<string, unknown> }
export type BotSessionItemPage = { items: BotSessionItem[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type BotTraceEntry = { seq: number; at: string; message_id: string | null; stage: "received" | "consent" | "silence" | "disabled" | "transfer" | "hours" | "cancel" | "greeting" | "rules" | "flow" | "ai" | "fallback" | "guard" | "timeout"; node_id: string | null; node_type: string | null; input: string | null; outcome: string; next_node: string | null; sent_message_ids: string[]; duration_ms: number | null; error: string | null }
export type Branding = { name: string; logo_url: string | null; accent: string | null }
export type BrandingChange = { logo?: Blob | null; accent?: string | null }
export type BulkRequest = { contact_ids?: string[]; segment_id?: string; action: "add_tags" | "remove_tags" | "assign" | "set_attribute" | "opt_out" | "delete"; value?: Record<string, unknown> }
export type BusinessHours = { open: boolean; timezone: string; closes_at: string | null; opens_at: string | null }
export type BusinessProfile = { about: string | null; address: string | null; description: string | null; email: string | null; websites: string[]; vertical: string | null; profile_picture_url: string | null }
export type BusinessProfileChanges = { about?: string; address?: string | null; description?: string | null; email?: string | null; websites?: string[] | null; vertical?: "ALCOHOL" | "APPAREL" | "AUTO" | "BEAUTY" | "EDU" | "ENTERTAIN" | "EVENT_PLAN" | "FINANCE" | "GOVT" | "GROCERY" | "HEALTH" | "HOTEL" | "NONPROFIT" | "ONLINE_GAMBLING" | "OTC_DRUGS" | "OTHER" | "PHYSICAL_GAMBLING" | "PROF_SERVICES" | "RESTAURANT" | "RETAIL" | "TRAVEL" }
export type Call = { id: string; conversation_id: string | null; contact_id: string; account_id: string; wa_call_id: string; direction: "incoming" | "outgoing"; state: "ringing" | "accepted" | "ended" | "missed" | "rejected" | "failed"; timestamp: string; answered_at: string | null; ended_at: string | null; duration_seconds: number | null; recording_media_id: string | null; transcript_media_id: string | null; unread: boolean; error: { code: number | null; message: string | null } | null; created_at: string; updated_at: string }
export type CallContent = { direction: "incoming" | "outgoing"; state: "ringing" | "accepted" | "ended" | "missed" | "rejected" | "failed"; duration_seconds: number | null; recording_media_id: string | null }
export type CallHours = { day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | number; enabled?: boolean; start_time: string; end_time: string }
export type CallPage = { items: Call[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type CallPermission = { contact_id: string; account_id: string; state: "none" | "requested" | "denied" | "temporary" | "permanent"; expires_at: string | null; can_request: boolean; next_request_at: string | null }
export type CallingChanges = { status?: "ENABLED" | "DISABLED"; icon_visibility?: "DEFAULT" | "DISABLE_ALL"; countries?: string[]; hours?: CallHours[] | null; callback_permission?: "ENABLED" | "DISABLED"; sip?: { enabled?: boolean; servers?: SipServer[] } }
export type CallingSettings = { status: "ENABLED" | "DISABLED"; icon_visibility: "DEFAULT" | "DISABLE_ALL"; countries: string[]; hours: CallHours[] | null; timezone: string | null; callback_permission: "ENABLED" | "DISABLED"; sip: { enabled: boolean; servers: SipServer[]; password: string | null } }
export type Campaign = { id: string; name: string; account_id: string; template_id: string; template_name: string; status: "draft" | "scheduled" | "sending" | "paused" | "completed" | "cancelled"; pause_reason: "user" | "error_rate" | "quality" | "template" | "account" | "budget" | "quota" | "restriction" | "funding" | "restored" | null; audience: { segment_id: string | null; tag_ids: string[]; tags_mode: "any" | "all"; exclude_tag_ids: string[]; exclude_contacted_days: number | null }; variable_mapping: Record<string, unknown>; default_params: Record<string, unknown>; header_media_id: string | null; scheduled_at: string | null; timezone: string; send_window: { from: string; to: string; days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] } | null; rate_limit: number | null; budget: { amount: string; currency: string } | null; error_threshold: number; total_recipients: number; pending_count: number; sending_count: number; sent_count: number; delivered_count: number; read_count: number; failed_count: number; skipped_count: number; cancelled_count: number; unknown_count: number; replied_count: number; clicked_count: number; estimated_cost: string | null; actual_cost: string | null; currency: string | null; started_at: string | null; completed_at: string | null; eta_at: string | null; created_by: string | null; created_at: string; updated_at: string }
export type CampaignChanges = { name?: string; account_id?: string; template_id?: string; variable_mapping?: Record<string, unknown>; audience?: { segment_id?: string | null; tag_ids?: string[]; tags_mode?: "any" | "all"; exclude_tag_ids?: string[]; exclude_contacted_days?: number | null }; default_params?: Record<string, unknown>; header_media_id?: string | null; header_media_url?: string; scheduled_at?: string | null; timezone?: string; send_window?: { from: string; to: string; days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] } | null; rate_limit?: number | null; budget?: { amount: string; currency: string } | null; error_threshold?: number }
export type CampaignCopy = { name?: string; with_recipients?: boolean }
export type CampaignDryRun = { eligible: number; excluded: Record<string, number>; missing_params: ({ recipient_id: string | null; contact_id: string | null; name: string | null; missing: string[] })[]; by_country: ({ country: string | null; count: number; unit_price: string | null; free_count: number; inside_window_count: number; inside_window_price: string | null; cost: string | null })[]; billable: number; estimated_cost: string | null; currency: string | null; price_date: string | null; estimated_duration_s: number; quota: { tier: string | null; remaining: number | null }; thread_not_ours: number; warnings: string[]; samples: ({ name: string | null; header: unknown; body: string | null; footer: string | null; buttons: unknown[] })[] }
export type CampaignFigures = { campaign_id: string; name: string; status: "draft" | "scheduled" | "sending" | "paused" | "completed" | "cancelled"; recipients: number; sent: number; delivered: number; read: number; replied: number; clicked: number; failed: number; unknown: number; skipped: number; opt_outs: number; delivery_rate: number; read_rate: number; reply_rate: number; estimated_cost: string; actual_cost: string; currency: string | null; failure_reasons: { code: string; message: string; count: number }[] }
export type CampaignFunnel = { interval: "hour" | "day"; series: { at: string; sent: number; delivered: number; read: number; replied: number; clicked: number; failed: number }[] }
export type CampaignMedia = { media_id: string; filename: string | null; mime_type: string | null; size_bytes: number | null }
export type CampaignPage = { items: Campaign[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type CampaignProgress = { campaign_id: string; status: "draft" | "scheduled" | "sending" | "paused" | "completed" | "cancelled"; pause_reason: "user" | "error_rate" | "quality" | "template" | "account" | "budget" | "quota" | "restriction" | "funding" | "restored" | null; total_recipients: number; pending_count: number; sending_count: number; sent_count: number; delivered_count: number; read_count: number; failed_count: number; skipped_count: number; cancelled_count: number; unknown_count: number; replied_count: number; clicked_count: number; rate_per_minute: number; eta_at: string | null; eta_seconds: number | null; errors: { code: string; message: string; count: number }[] }
export type CampaignRecipient = { id: string; contact_id: string | null; phone_number: string | null; name: string | null; status: "pending" | "sending" | "sent" | "delivered" | "read" | "failed" | "unknown" | "skipped" | "cancelled"; skip_reason: "opted_out" | "blocked" | "duplicate" | "no_address" | "excluded" | "missing_params" | "recently_contacted" | "undeliverable" | null; template_params: Record<string, unknown>; header_params: Record<string, unknown>; button_params: Record<string, unknown>; message_id: string | null; attempt: number; error: { code: string; platform_code: number | null; message: string; details: string | null; retryable: boolean; retry_after?: string } | null; sent_at: string | null; delivered_at: string | null; read_at: string | null; failed_at: string | null; replied_at: string | null; clicked_at: string | null; cost: string | null }
export type CampaignRecipientPage = { items: CampaignRecipient[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type CampaignReport = { items: CampaignFigures[]; total: number; page: number; limit: number; total_pages: number; summary: CampaignSummary; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type CampaignResume = { ignore_errors?: boolean }
export type CampaignRetried = { retry_count: number; status: "draft" | "scheduled" | "sending" | "paused" | "completed" | "cancelled" }
export type CampaignRetry = { codes?: string[]; include_unknown?: boolean }
export type CampaignStart = { now?: boolean }
export type CampaignSummary = { recipients: number; sent: number; delivered: number; read: number; replied: number; clicked: number; failed: number; unknown: number; skipped: number; opt_outs: number; delivery_rate: number; read_rate: number; reply_rate: number; estimated_cost: string; actual_cost: string; currency: string | null; failure_reasons: { code: string; message: string; count: number }[]; other_costs: { estimated_cost: string; actual_cost: string; currency: string }[] }
export type CancelRequest = { account_id: string; older_than?: string; contact_id?: string }
export type CannedButton = { id: string; title: string; type: "reply" | "url" | "phone" | "flow"; url?: string | null; phone_number?: string | null; flow_id?: string | null }
export type CannedButtonView = { id: string; title: string; type: "reply" | "url" | "phone" | "flow"; url: string | null; phone_number: string | null; flow_id: string | null }
export type CannedResponse = { id: string; name: string; shortcut: string | null; content: string; category: string; is_active: boolean; usage_count: number; buttons: CannedButtonView[]; media_id: string | null; created_at: string; updated_at: string }
export type CannedResponseChanges = { name?: string; content?: string; shortcut?: string | null; category?: string; is_active?: boolean; buttons?: CannedButton[]; media_id?: string | null }
export type CannedResponsePage = { items: CannedResponse[]; total: number | null; page: number | null; limit: number; total_pages: number | null; canned_responses: CannedResponse[] }
export type CellDeliveryAnswer = { known: boolean; changes: string[] }
export type CellFlowAnswer = { status: 200 | 421 | 427; body: string }
export type CellMoveAnswer = { version: string; schema: string; state: "receiving" | "checking" | "checked" | "running" | "waiting" | "completed" | "failed" | "cancelled"; bytes: number; rows_done: number; rows_total: number; counts: Record<string, number>; error: string | null; place: "none" | "arriving" | "here" | "returned"; moved_to: string | null; moves: number; erases_copy: boolean; is_keeping?: boolean }
export type ChangedFlow = { id: string; account_id: string; meta_flow_id: string | null; name: string; status: "DRAFT" | "PUBLISHED" | "DEPRECATED" | "BLOCKED" | "THROTTLED"; categories: string[]; json_version: string | null; data_api_version: string | null; endpoint_mode: "none" | "rules" | "http"; endpoint_config: Record<string, unknown>; validation_errors: FlowValidationError[]; preview_url: string | null; preview_expires_at: string | null; has_local_changes: boolean; health: { can_send: "AVAILABLE" | "LIMITED" | "BLOCKED" | null; errors: ({ code: number | null; message: string | null; solution: string | null; entity: string | null })[] }; response_count: number; synced_at: string | null; created_by: string | null; created_at: string; updated_at: string; json_definition: Record<string, unknown> | null }
export type ChatbotReport = { summary: { total_conversations: number; auto_resolved: number; transferred_to_agent: number; abandoned: number; open: number; resolution_rate: number; avg_messages_per_conversation: number; messages_per_turn: number; avg_resolution_time_seconds: number }; by_flow: BotFlowFigures[]; top_keywords: ({ keyword: string; rule_id: string | null; flow_id: string | null; count: number })[]; ai_usage: { total_requests: number; failed_requests: number; input_tokens: number; output_tokens: number; total_tokens: number; avg_tokens_per_request: number; estimated_cost: number; currency: string }; timeline: { date: string; conversations: number; auto_resolved: number; transferred_to_agent: number; abandoned: number }[]; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type ChatbotSettings = { id: string; account_id: string | null; overridden: string[]; chatbot_enabled: boolean; disabled_action: "none" | "transfer"; greeting_message: string | null; greeting_every_hours: number; fallback_message: string | null; fallback_on_media: boolean; fallback_transfer_after: number | null; transfer_keywords: string[]; person_words_languages: ("ar" | "de" | "en" | "es" | "fr" | "hi" | "id" | "it" | "pt" | "tr")[] | null; transfer_message: string | null; transfer_message_closed: string | null; session_timeout_minutes: number; debounce_seconds: number; human_takeover_minutes: number; business_hours_enabled: boolean; out_of_hours_message: string | null; out_of_hours_notice: boolean; allow_automated_outside_hours: boolean; transfer_outside_hours: "queue" | "refuse"; allow_agent_queue_pickup: boolean; assign_to_same_agent: boolean; agent_current_conversation_only: boolean; agent_max_active_transfers: number | null; sla_enabled: boolean; sla_response_minutes: number; sla_resolution_minutes: number; sla_escalation_minutes: number; sla_business_hours_only: boolean; sla_warning_message: string | null; sla_auto_close_hours: number | null; sla_auto_close_message: string | null; sla_escalation_notify_ids: string[]; client_reminder_enabled: boolean; client_reminder_minutes: number; client_reminder_message: string | null; client_auto_close_minutes: number | null; client_auto_close_message: string | null; ai_enabled: boolean; ai_provider: "openai" | "anthropic" | "google" | null; ai_model: string | null; system_prompt: string | null; ai_temperature: number; ai_max_tokens: number; ai_include_history: boolean; ai_history_limit: number; ai_timeout_seconds: number; ai_purpose: string | null; ai_disclosure: "always" | "first_in_session" | "off"; ai_off_topic_message: string | null; coalesce: boolean; ai_handover: boolean; ai_daily_token_budget: number | null; ai_monthly_token_budget: number | null; ai_monthly_cost_limit_usd: number | null; ai_price_input_per_million_usd: number | null; ai_price_output_per_million_usd: number | null; ai_replies_per_contact_per_hour: number; greeting_buttons: { id: string; title: string }[]; fallback_buttons: { id: string; title: string }[]; excluded_numbers: string[]; business_hours: ({ day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"; enabled: boolean; start_time: string; end_time: string })[]; holidays: { date: string; name: string; intervals: { start_time: string; end_time: string }[] }[]; ai_base_url: string | null; ai_api_key_set: boolean; ai_api_key_last4: string | null; ai_disclosure_text: Record<string, string>; ai_data_terms_confirmed: boolean; ai_data_terms: { confirmed: boolean; at: string | null; by: string | null }; warnings: ({ code: "human_path_missing" | "never_open"; message: string })[]; stats: { sessions_total: number; sessions_active: number; messages_handled: number; ai_responses: number; transfers: number; keywords_count: number; flows_count: number; ai_contexts_count: number } }
export type ChatbotSettingsChanges = { chatbot_enabled?: boolean; disabled_action?: "none" | "transfer"; greeting_message?: string | null; greeting_every_hours?: number; fallback_message?: string | null; fallback_on_media?: boolean; fallback_transfer_after?: number | null; transfer_keywords?: string[]; person_words_languages?: ("ar" | "de" | "en" | "es" | "fr" | "hi" | "id" | "it" | "pt" | "tr")[] | null; transfer_message?: string | null; transfer_message_closed?: string | null; session_timeout_minutes?: number; debounce_seconds?: number; human_takeover_minutes?: number; business_hours_enabled?: boolean; out_of_hours_message?: string | null; out_of_hours_notice?: boolean; allow_automated_outside_hours?: boolean; transfer_outside_hours?: "queue" | "refuse"; allow_agent_queue_pickup?: boolean; assign_to_same_agent?: boolean; agent_current_conversation_only?: boolean; agent_max_active_transfers?: number | null; sla_enabled?: boolean; sla_response_minutes?: number; sla_resolution_minutes?: number; sla_escalation_minutes?: number; sla_business_hours_only?: boolean; sla_warning_message?: string | null; sla_auto_close_hours?: number | null; sla_auto_close_message?: string | null; sla_escalation_notify_ids?: string[]; client_reminder_enabled?: boolean; client_reminder_minutes?: number; client_reminder_message?: string | null; client_auto_close_minutes?: number | null; client_auto_close_message?: string | null; ai_enabled?: boolean; ai_provider?: "openai" | "anthropic" | "google" | null; ai_model?: string | null; system_prompt?: string | null; ai_temperature?: number; ai_max_tokens?: number; ai_include_history?: boolean; ai_history_limit?: number; ai_timeout_seconds?: number; ai_purpose?: string | null; ai_disclosure?: "always" | "first_in_session" | "off"; ai_off_topic_message?: string | null; coalesce?: boolean; ai_handover?: boolean; ai_daily_token_budget?: number | null; ai_monthly_token_budget?: number | null; ai_monthly_cost_limit_usd?: number | null; ai_price_input_per_million_usd?: number | null; ai_price_output_per_million_usd?: number | null; ai_replies_per_contact_per_hour?: number; greeting_buttons?: { id?: string; title: string }[]; fallback_buttons?: { id?: string; title: string }[]; excluded_numbers?: string[]; business_hours?: ({ day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | number; enabled?: boolean; start_time: string; end_time: string })[]; holidays?: { date: string; name?: string; intervals?: { start_time: string; end_time: string }[] }[]; ai_base_url?: string | null; ai_api_key?: string | null; ai_system_prompt?: string | null; ai_disclosure_text?: Record<string, unknown>; ai_data_terms_confirmed?: boolean; acknowledge_no_human_path?: boolean }
export type CodeProof = { code: string }
export type Colleague = { id: string; full_name: string; is_available: boolean; role_name: string; teams: { id: string; name: string }[] }
export type ColleagueList = { items: Colleague[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type CommerceSettings = { cart_enabled: boolean; catalog_visible: boolean }
export type Confirmation = { message: string }
export type Consent = { id: string; purpose: "marketing"; state: "opted_in" | "opted_out"; source: "keyword" | "platform" | "agent" | "import" | "api" | "chatbot"; evidence: string | null; message_id: string | null; actor: { id: string | null; name: string | null } | null; created_at: string }
export type ConsentPage = { items: Consent[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type ConsentSettings = { opt_out_keywords: string[]; opt_in_keywords: string[]; opt_out_reply: string | null; opt_in_reply: string | null }
export type ConsentSettingsChanges = { opt_out_keywords?: string[]; opt_in_keywords?: string[]; opt_out_reply?: string | null; opt_in_reply?: string | null }
export type Contact = { id: string; name: string | null; profile_name: string | null; display_name: string | null; phone_number: string | null; wa_id: string | null; user_id: string | null; parent_user_id: string | null; username: string | null; country: string | null; language: string | null; avatar_url: string | null; account_id: string | null; assigned_to: string | null; assigned_user: { id: string; full_name: string } | null; assigned_team_id: string | null; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[]; metadata: Record<string, unknown>; attributes: Record<string, unknown>; marketing_consent: "unknown" | "opted_in" | "opted_out"; blocked: boolean; blocked_at: string | null; source: "inbound" | "manual" | "import" | "api" | "campaign" | "phone_app"; first_seen_at: string; last_message_at: string | null; last_message_preview: string | null; last_inbound_at: string | null; window_expires_at: string | null; unread_count: number; created_at: string; updated_at: string }
export type ContactAttribute = { id: string; key: string; label: string; type: "text" | "number" | "boolean" | "date" | "select" | "url" | "email"; options: string[]; created_at: string; updated_at: string }
export type ContactAttributeChanges = { label?: string; type?: "text" | "number" | "boolean" | "date" | "select" | "url" | "email"; options?: string[] }
export type ContactAttributePage = { items: ContactAttribute[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type ContactCard = { name: { formatted_name: string }; phones: ({ phone: string | null; type: string | null; wa_id: string | null })[]; emails: Record<string, unknown>[]; addresses: Record<string, unknown>[]; urls: Record<string, unknown>[]; org: Record<string, unknown>; birthday: string | null; origin: string | null; vcard?: string | null }
export type ContactChanges = { name?: string | null; phone_number?: string | null; account_id?: string | null; metadata?: Record<string, unknown> | null; metadata_patch?: Record<string, unknown>; attributes?: Record<string, unknown>; language?: string | null; tags?: string[]; tag_ids?: string[] }
export type ContactDetails = { id: string; name: string | null; profile_name: string | null; display_name: string | null; phone_number: string | null; wa_id: string | null; user_id: string | null; parent_user_id: string | null; username: string | null; country: string | null; language: string | null; avatar_url: string | null; account_id: string | null; assigned_to: string | null; assigned_user: { id: string; full_name: string } | null; assigned_team_id: string | null; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[]; metadata: Record<string, unknown>; attributes: Record<string, unknown>; marketing_consent: "unknown" | "opted_in" | "opted_out"; blocked: boolean; blocked_at: string | null; source: "inbound" | "manual" | "import" | "api" | "campaign" | "phone_app"; first_seen_at: string; last_message_at: string | null; last_message_preview: string | null; last_inbound_at: string | null; window_expires_at: string | null; unread_count: number; created_at: string; updated_at: string; identities: ({ kind: "phone" | "user_id" | "parent_user_id"; value: string; account_id: string | null; first_seen_at: string })[]; platform_blocked: boolean }
export type ContactPage = { items: Contact[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type ContactsContent = { contacts: ContactCard[]; errors?: Record<string, unknown>[] }
export type ContactsMessage = (MessageFields) & ({ type: "contacts"; content: ContactsContent })
export type Conversation = { id: string; contact: { id: string; display_name: string | null; phone_number: string | null; avatar_url: string | null; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[]; blocked: boolean }; account_id: string; state: "open" | "pending" | "snoozed" | "closed"; assigned_to: string | null; assigned_user: { id: string; full_name: string } | null; team_id: string | null; team: { id: string; name: string } | null; unread_count: number; last_message: { id: string; direction: "incoming" | "outgoing"; type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "template" | "order" | "system" | "unsupported" | "call"; preview: string; status: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown"; timestamp: string; error_code: string | null } | null; transfer: { id: string; agent_id: string | null; team_id: string | null; priority: number; sla_response_deadline: string | null; sla_breached: boolean } | null; last_inbound_at: string | null; window_expires_at: string | null; window_open: boolean; snoozed_until: string | null; first_response_at: string | null; bot_active: boolean; bot_waits_until: string | null; priority: "low" | "normal" | "high" | "urgent"; thread_owner: "us" | "platform_agent" | "other_app" | "idle" | "unknown"; owner_since: string | null; owner_role: string | null; can_take: boolean; can_call: boolean; closed_at: string | null; created_at: string; updated_at: string; first_referral: Record<string, unknown> | null; last_referral: Record<string, unknown> | null; free_entry_point_until: string | null; cost_month: CostMonth | null }
export type ConversationBulk = { ids?: string[]; filter?: Record<string, unknown>; expected_count?: number; set: { state?: "open" | "pending" | "closed"; assigned_to?: string | null; snoozed_until?: string | "reply"; priority?: "low" | "normal" | "high" | "urgent"; tags_add?: string[]; tags_remove?: string[]; read?: boolean } }
export type ConversationChange = { state?: "open" | "pending" | "closed"; priority?: "low" | "normal" | "high" | "urgent" }
export type ConversationCounts = { open: number; pending: number; snoozed: number; closed: number; mine: number; unassigned: number; unread: number; by_state: { open: number; pending: number; snoozed: number; closed: number }; by_account: Record<string, number>; by_team: Record<string, number>; closing_window: number; waiting_longest_seconds: number | null }
export type ConversationPage = { items: Conversation[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type CostGroup = { key: string | null; name: string | null; billable_messages: number; free_messages: number; unpriced_messages: number; estimated_messages: number; cost: string; estimated_cost: string; currency: string | null }
export type CostMonth = { amount: string; estimated_amount: string; currency: string; is_estimate: boolean; unpriced_messages: number }
export type CostReport = { summary: { billable_messages: number; free_messages: number; unpriced_messages: number; estimated_messages: number; cost: string; estimated_cost: string; currency: string | null; other_costs: { cost: string; currency: string }[]; ai_cost: string; ai_cost_currency: string; month_to_date: CostMonth | null; budget: Spend | null }; groups: CostGroup[]; total: number; page: number; limit: number; total_pages: number; timeline: ({ date: string; billable_messages: number; free_messages: number; unpriced_messages: number; estimated_messages: number; cost: string; estimated_cost: string; currency: string | null })[]; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type CreateMediaLinkResult = { url: string; expires_at: string }
export type CreateTeamResult = { team: Team }
export type CreatedWebhookEndpoint = { id: string; name: string; url: string; events: string[]; account_ids: string[]; headers: Record<string, string>; is_active: boolean; state: "healthy" | "failing" | "down" | "disabled"; disabled_at: string | null; disabled_reason: "manual" | "failing_5_days" | "gone" | null; concurrency: number; rate_per_second: number | null; ordering: "none" | "per_contact"; include_phone_numbers: boolean; has_previous_secret: boolean; previous_expires_at: string | null; created_by: string | null; created_at: string; updated_at: string; secret: string }
export type Credentials = { email: string; password: string; code?: string; use_cookie?: boolean; include?: ("me" | "start")[] }
export type CustomAction = { id: string; name: string; icon: string | null; action_type: "webhook" | "url"; config: { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, string>; body?: string | null; open_in_new_tab?: boolean }; is_active: boolean; display_order: number; created_at: string; updated_at: string }
export type CustomActionChanges = { name?: string; action_type?: string; config?: CustomActionConfig; icon?: string | null; is_active?: boolean; display_order?: number }
export type CustomActionConfig = { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, unknown>; body?: string | null; open_in_new_tab?: boolean }
export type CustomActionPage = { items: CustomAction[]; total: number | null; page: number | null; limit: number; total_pages: number | null; custom_actions: CustomAction[] }
export type CustomActionResult = { success: boolean; message: string; redirect_url: string | null; data: Record<string, unknown>; toast: { message: string; type: "success" | "error" | "info" } }
export type CustomActionTarget = { contact_id: string }
export type Dashboard = { contacts: { total: number; new_today: number; new_this_week: number; new_in_period: number; growth_percent: number }; messages: { total: number; sent: number; received: number; today: number; failed: number }; campaigns: { total: number; active: number; completed_this_month: number }; chatbot: { conversations_today: number; conversations: number; auto_resolved: number; transferred_to_agent: number; resolution_rate: number }; transfers: { waiting: number; oldest_waiting_seconds: number; sla_breached: number }; period: { start: string; end: string }; as_of: string; rebuilding: boolean }
export type DiscardRequest = { reason?: string }
export type DocumentMessage = (MessageFields) & ({ type: "document"; content: FileContent })
export type Duplicate = { contacts: Contact[]; reason: "number_variant" | "same_user_id" | "same_email" }
export type DuplicatePage = { items: Duplicate[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type EmbeddedSignupConfig = { app_id: string | null; config_id: string | null; api_version: string | null; dialog_url: string | null; phone_app_dialog_url: string | null }
export type EncryptedFlowRequest = { encrypted_flow_data: string; encrypted_aes_key: string; initial_vector: string }
export type EndedPushSubscription = { endpoint: string }
export type EntryPointChanges = { links?: { id?: string; message: string }[]; ice_breakers?: string[]; commands?: { name: string; description: string }[]; welcome?: boolean; commerce?: CommerceSettings; username?: string | null }
export type EntryPoints = { links: ({ id: string; message: string; url: string | null; qr_media_id: string | null })[]; ice_breakers: string[]; commands: { name: string; description: string }[]; welcome: boolean; commerce: CommerceSettings | null; username: { name: string; status: string | null } | null }
export type EraseRequest = { confirm: string; reason?: string }
export type Export = { id: string; table: "contacts" | "tags" | "messages"; format: "csv" | "jsonl"; status: "queued" | "running" | "completed" | "failed" | "expired"; rows: number; bytes: number; error: { code: string; message: string } | null; created_by: string | null; created_at: string; finished_at: string | null; expires_at: string | null }
export type ExportConfig = { columns: ({ key: string; label: string; required: boolean; type: "text" | "phone" | "number" | "boolean" | "time" | "list" | "json"; aliases: string[] })[]; max_rows: number | null; max_bytes: number | null }
export type ExportFilters = { search?: string; account_id?: string; assigned_to?: string; tags?: string; tags_mode?: "any" | "all"; consent?: "unknown" | "opted_in" | "opted_out"; blocked?: boolean; has_phone?: boolean; created_from?: string; created_to?: string; contact_id?: string; direction?: "incoming" | "outgoing"; type?: string; from?: string; to?: string }
export type ExportPage = { items: Export[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type FallbackTemplate = { template_id?: string; template_name?: string; language?: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; cards?: Record<string, unknown>[]; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string }
export type FileContent = { caption: string | null; mime_type: string | null; filename: string | null; sha256: string | null; size_bytes: number | null; errors?: Record<string, unknown>[] }
export type Flow = { id: string; account_id: string; meta_flow_id: string | null; name: string; status: "DRAFT" | "PUBLISHED" | "DEPRECATED" | "BLOCKED" | "THROTTLED"; categories: string[]; json_version: string | null; data_api_version: string | null; endpoint_mode: "none" | "rules" | "http"; endpoint_config: Record<string, unknown>; validation_errors: FlowValidationError[]; preview_url: string | null; preview_expires_at: string | null; has_local_changes: boolean; health: { can_send: "AVAILABLE" | "LIMITED" | "BLOCKED" | null; errors: ({ code: number | null; message: string | null; solution: string | null; entity: string | null })[] }; response_count: number; synced_at: string | null; created_by: string | null; created_at: string; updated_at: string; json_definition: Record<string, unknown> | null }
export type FlowChanges = { name?: string; categories?: ("SIGN_UP" | "SIGN_IN" | "APPOINTMENT_BOOKING" | "LEAD_GENERATION" | "CONTACT_US" | "CUSTOMER_SUPPORT" | "SURVEY" | "OTHER")[]; json_definition?: Record<string, unknown>; endpoint_mode?: "none" | "rules" | "http"; endpoint_config?: Record<string, unknown> }
export type FlowCopy = { name?: string }
export type FlowExchange = { at: string; action: string; screen: string | null; outcome: "answered" | "completed" | "acknowledged" | "error" | "expired"; duration_ms: number; error: string | null }
export type FlowExchangePage = { items: FlowExchange[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type FlowKey = { public_key: string | null; signature_status: string | null; created_at: string | null }
export type FlowPreview = { preview_url: string; expires_at: string | null }
export type FlowResponse = { id: string; contact_id: string; message_id: string; flow_token: string | null; data: Record<string, unknown> | null; completed_at: string }
export type FlowResponsePage = { items: FlowResponse[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type FlowSummary = { id: string; account_id: string; meta_flow_id: string | null; name: string; status: "DRAFT" | "PUBLISHED" | "DEPRECATED" | "BLOCKED" | "THROTTLED"; categories: string[]; json_version: string | null; data_api_version: string | null; endpoint_mode: "none" | "rules" | "http"; endpoint_config: Record<string, unknown>; validation_errors: FlowValidationError[]; preview_url: string | null; preview_expires_at: string | null; has_local_changes: boolean; health: { can_send: "AVAILABLE" | "LIMITED" | "BLOCKED" | null; errors: ({ code: number | null; message: string | null; solution: string | null; entity: string | null })[] }; response_count: number; synced_at: string | null; created_by: string | null; created_at: string; updated_at: string }
export type FlowSummaryPage = { items: FlowSummary[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type FlowSync = { account_id?: string }
export type FlowSyncResult = { synced: number; new: number; updated: number; removed: number; accounts: ({ account_id: string; error: string | null })[] }
export type FlowToValidate = { json_definition: Record<string, unknown> }
export type FlowValidationError = { error: string | null; error_type: string | null; message: string | null; line_start: number | null; line_end: number | null; column_start: number | null; column_end: number | null; path: string | null }
export type FlowVerdict = { valid: boolean; errors: { path: string; message: string; line: number }[] }
export type ForgotRequest = { email: string }
export type FoundMessage = { message: Message; contact: { id: string; display_name: string | null; phone_number: string | null; avatar_url: string | null }; snippet: string; ranges: number[][] }
export type FoundMessages = { items: FoundMessage[]; next_cursor: string | null; partial: boolean }
export type FullProof = { current_password: string; code: string }
export type GetMySettingsResult = { settings: OwnSettings }
export type GetOutboxStatsResult = { accounts: OutboxStats[] }
export type GetTeamResult = { team: Team; members: TeamMember[] }
export type GraphCheck = { valid: boolean; errors: { path: string; message: string }[]; warnings: { path: string; message: string }[] }
export type GraphToValidate = { graph: Record<string, unknown> }
export type ImageMessage = (MessageFields) & ({ type: "image"; content: FileContent })
export type Import = { id: string; table: "contacts" | "tags" | "recipients"; status: "queued" | "running" | "completed" | "failed" | "cancelled" | "undone"; dry_run: boolean; filename: string; columns: ({ header: string; key: string | null })[]; rows_total: number; rows_done: number; created: number; updated: number; skipped: number; failed: number; error: { code: string; message: string } | null; created_by: string | null; started_at: string | null; finished_at: string | null; created_at: string }
export type ImportCampaignRecipientsResult = RecipientsBrought | Import
export type ImportColumn = { key: string; label: string; required: boolean; type: "phone" | "text" | "email" | "url" | "number" | "boolean" | "date" | "select" | "language" | "list" | "member" | "color"; aliases: string[] }
export type ImportConfig = { columns: ImportColumn[]; max_rows: number; max_bytes: number }
export type ImportPage = { items: Import[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type ImportRow = { row: number; outcome: "created" | "updated" | "skipped" | "failed"; contact_id: string | null; errors: ({ column: string | null; message: string; value: string | null })[] }
export type ImportRowPage = { items: ImportRow[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type InboundEvent = { id: string; received_at: string; field: string | null; account_id: string | null; phone_number_id: string | null; business_id: string | null; state: "pending" | "processing" | "done" | "partial" | "failed" | "unrouted" | "ignored"; reason: string | null; attempts: number; items: { messages: number; statuses: number; errors: number; other: number }; last_error: string | null; processed_at: string | null; digest: string }
export type InboundEventDetails = { id: string; received_at: string; field: string | null; account_id: string | null; phone_number_id: string | null; business_id: string | null; state: "pending" | "processing" | "done" | "partial" | "failed" | "unrouted" | "ignored"; reason: string | null; attempts: number; items: { messages: number; statuses: number; errors: number; other: number }; last_error: string | null; processed_at: string | null; digest: string; outcomes: { kind: string; index: number; outcome: string; reason?: string; more?: number }[]; raw: Record<string, unknown> }
export type InboundEventPage = { items: InboundEvent[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type InboundStats = { from: string; to: string; received: number; duplicates: number; unrouted: number; failed: number; ack_p50_ms: number | null; ack_p99_ms: number | null; oldest_pending_age_ms: number; hours: ({ hour: string; received: number; duplicates: number; unrouted: number; failed: number; ack_p50_ms: number | null; ack_p99_ms: number | null })[] }
export type Installation = { version: string; started_at: string; runtime: string; sqlite: string; schema: { version: string; migrations: number }; settings: Record<string, string | number | null>; sizes: { database_bytes: number; wal_bytes: number; media_bytes: number; backups_bytes: number; disk_free_bytes: number | null }; counts: Record<string, number> }
export type InteractiveAddressMessageContent = { kind: "address_message"; body: string; header: string | MessageHeaderFile | null; footer: string | null; country: string; values: Record<string, unknown> | null; saved_addresses: { id: string; value: Record<string, unknown> }[]; validation_errors: Record<string, unknown> | null }
export type InteractiveAddressReplyContent = { kind: "address_reply"; data: Record<string, unknown> | null; data_raw?: string | null; errors?: Record<string, unknown>[] }
export type InteractiveButtonContent = { kind: "button"; body: string; header: string | MessageHeaderFile | null; footer: string | null; buttons: { id: string; title: string }[] }
export type InteractiveButtonReplyContent = { kind: "button_reply"; id: string | null; title: string | null; description: string | null; errors?: Record<string, unknown>[] }
export type InteractiveCallPermissionReplyContent = { kind: "call_permission_reply"; response: string | null; expires_at: string | null; errors?: Record<string, unknown>[] }
export type InteractiveCallPermissionRequestContent = { kind: "call_permission_request"; body: string; header: string | MessageHeaderFile | null; footer: string | null }
export type InteractiveCatalogContent = { kind: "catalog"; body: string; header: string | MessageHeaderFile | null; footer: string | null; thumbnail_product_retailer_id: string | null }
export type InteractiveContactRequestContent = { kind: "contact_request"; body: string; header: string | MessageHeaderFile | null; footer: string | null }
export type InteractiveContent = InteractiveButtonContent | InteractiveListContent | InteractiveCtaUrlContent | InteractiveFlowContent | InteractiveLocationRequestContent | InteractiveContactRequestContent | InteractiveCallPermissionRequestContent | InteractiveProductContent | InteractiveProductListContent | InteractiveCatalogContent | InteractiveMediaCarouselContent | InteractiveProductCarouselContent | InteractiveAddressMessageContent | InteractiveOrderDetailsContent | InteractiveOrderStatusContent | InteractiveVoiceCallContent | InteractiveButtonReplyContent | InteractiveListReplyContent | InteractiveTemplateButtonContent | InteractiveFlowReplyContent | InteractiveAddressReplyContent | InteractiveCallPermissionReplyContent | InteractiveOtherContent
export type InteractiveCtaUrlContent = { kind: "cta_url"; body: string; header: string | MessageHeaderFile | null; footer: string | null; button_text: string; url: string }
export type InteractiveFlowContent = { kind: "flow"; body: string; header: string | MessageHeaderFile | null; footer: string | null; button_text: string; flow_id: string; meta_flow_id: string; flow_name: string; mode: "draft" | "published"; flow_action: "navigate" | "data_exchange"; screen: string | null; data: Record<string, unknown> | null; flow_token: string }
export type InteractiveFlowReplyContent = { kind: "flow_reply"; data: Record<string, unknown> | null; data_raw?: string | null; errors?: Record<string, unknown>[]; flow_id: string | null; flow_token: string | null; body: string | null }
export type InteractiveListContent = { kind: "list"; body: string; header: string | MessageHeaderFile | null; footer: string | null; button_text: string; sections: ({ title: string | null; rows: ({ id: string; title: string; description: string | null })[] })[] }
export type InteractiveListReplyContent = { kind: "list_reply"; id: string | null; title: string | null; description: string | null; errors?: Record<string, unknown>[] }
export type InteractiveLocationRequestContent = { kind: "location_request"; body: string; header: string | MessageHeaderFile | null; footer: string | null }
export type InteractiveMediaCarouselContent = { kind: "media_carousel"; body: string; header: string | MessageHeaderFile | null; footer: string | null; cards: ({ header: { type: "image" | "video"; media_id: string | null; filename: string | null }; body: string | null; button_text: string; url: string })[] }
export type InteractiveMessage = (MessageFields) & ({ type: "interactive"; content: InteractiveContent })
export type InteractiveOrderDetailsContent = { kind: "order_details"; body: string; header: string | MessageHeaderFile | null; footer: string | null; parameters: Record<string, unknown> }
export type InteractiveOrderStatusContent = { kind: "order_status"; body: string; header: string | MessageHeaderFile | null; footer: string | null; reference_id: string; order_status: string; description: string | null }
export type InteractiveOtherContent = { kind: "other"; raw?: Record<string, unknown>; errors?: Record<string, unknown>[] }
export type InteractiveProductCarouselContent = { kind: "product_carousel"; body: string; header: string | MessageHeaderFile | null; footer: string | null; catalog_id: string; product_retailer_ids: string[] }
export type InteractiveProductContent = { kind: "product"; body: string | null; header: string | MessageHeaderFile | null; footer: string | null; catalog_id: string; product_retailer_id: string }
export type InteractiveProductListContent = { kind: "product_list"; body: string; header: string | MessageHeaderFile | null; footer: string | null; catalog_id: string; sections: ({ title: string | null; product_retailer_ids: string[] })[] }
export type InteractiveTemplateButtonContent = { kind: "template_button"; payload: string | null; title: string | null; errors?: Record<string, unknown>[] }
export type InteractiveVoiceCallContent = { kind: "voice_call"; body: string; header: string | MessageHeaderFile | null; footer: string | null; button_text: string | null; ttl_minutes: number | null; payload: string | null }
export type Invitation = { id: string; email: string | null; role_id: string; role_name: string; status: "pending" | "accepted" | "revoked" | "expired"; expires_at: string; accepted_at: string | null; accepted_by_user_id: string | null; invited_by: { id: string; full_name: string }; created_at: string; mail: "queued" | "sent" | "failed" | null }
export type InvitationLink = { id: string; email: string | null; role_id: string; role_name: string; status: "pending" | "accepted" | "revoked" | "expired"; expires_at: string; accepted_at: string | null; accepted_by_user_id: string | null; invited_by: { id: string; full_name: string }; created_at: string; token: string; invite_url: string; mail: "queued" | "sent" | "failed" | "not_configured" }
export type InvitationPage = { items: Invitation[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type InvitationPreview = { organization_id: string; organization_name: string; logo_url: string | null; email: string | null; role_name: string; expires_at: string }
export type InvitationToken = { token: string }
export type Job = { id: string; kind: string; state: "available" | "executing" | "retryable" | "scheduled" | "completed" | "cancelled" | "discarded"; organization_id: string | null; attempt: number; max_attempts: number; scheduled_at: string; attempted_at: string | null; finished_at: string | null; lease_until: string | null; last_error: string | null; unique_key: string | null }
export type JobDetails = { id: string; kind: string; state: "available" | "executing" | "retryable" | "scheduled" | "completed" | "cancelled" | "discarded"; organization_id: string | null; attempt: number; max_attempts: number; scheduled_at: string; attempted_at: string | null; finished_at: string | null; lease_until: string | null; last_error: string | null; unique_key: string | null; args: Record<string, unknown>; errors: { attempt: number; at: string; message: string }[] }
export type JobPage = { items: Job[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null; counts: { available: number; executing: number; retryable: number; scheduled: number; completed: number; cancelled: number; discarded: number } }
export type Joined = { message: string; organization_id: string; role_name: string }
export type KeywordRule = { name: string; keywords: string[]; match_type: "exact" | "contains" | "starts_with" | "regex"; case_sensitive: boolean; whole_word: boolean; response_type: "text" | "buttons" | "media" | "template" | "flow" | "transfer"; response: string | null; response_content: Record<string, unknown>; priority: number; enabled: boolean; account_id: string | null; active_from: string | null; active_until: string | null; active_hours: ({ day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"; enabled: boolean; start_time: string; end_time: string })[]; interrupts_flow: boolean; id: string; hit_count: number; last_hit_at: string | null; created_at: string; updated_at: string; warnings: { path: string; message: string }[] }
export type KeywordRuleChanges = { name?: string; keywords?: string[]; match_type?: "exact" | "contains" | "starts_with" | "regex"; case_sensitive?: boolean; whole_word?: boolean; response_type?: "text" | "buttons" | "media" | "template" | "flow" | "transfer"; response?: string | null; response_content?: { buttons?: { id?: string; title: string }[]; header?: string | null; footer?: string | null; media_id?: string | null; url?: string | null; kind?: "image" | "video" | "audio" | "document" | "sticker"; filename?: string | null; template_id?: string; params?: Record<string, unknown>; flow_id?: string; team_id?: string | "general" | null; notes?: string | null }; priority?: number; enabled?: boolean; account_id?: string | null; active_from?: string | null; active_until?: string | null; active_hours?: ({ day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | number; enabled?: boolean; start_time: string; end_time: string })[]; interrupts_flow?: boolean }
export type KeywordRulePage = { items: KeywordRule[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type KeywordTest = { text: string; account_id?: string | null; at?: string }
export type KeywordTestResult = { matches: { id: string; name: string; keyword: string; priority: number }[]; winner: { id: string; name: string; keyword: string; priority: number } | null; skipped: { id: string; name: string }[] }
export type ListOrganizationsResult = { organizations: Organization[]; total?: number; page?: number; limit?: number }
export type ListPermissionsResult = { permissions: Permission[] }
export type ListTeamMembersResult = { members: TeamMember[] }
export type LocationContent = { latitude: number | null; longitude: number | null; name: string | null; address: string | null; url: string | null; errors?: Record<string, unknown>[] }
export type LocationMessage = (MessageFields) & ({ type: "location"; content: LocationContent })
export type LoggedOut = { message: string; sessions_ended: number }
export type Login = { user: { id: string; email: string; name: string; full_name: string; organization_id: string; is_super_admin: boolean }; access_token: string; refresh_token: string | null; expires_in: number; me?: Me; start?: Start }
export type LogoutAllRequest = { keep_current?: boolean }
export type LogoutRequest = { refresh_token?: string | null }
export type Me = { id: string; email: string; full_name: string; role_id: string; role: { id: string; name: string; description: string | null; is_system: boolean }; is_active: boolean; is_available: boolean; is_confirmed: boolean; is_member: boolean; is_super_admin: boolean; membership_id: string | null; organization_id: string; organization: { id: string; name: string; slug: string; settings: { mask_phone_numbers: boolean; timezone: string; date_format: string; registration_policy: "open" | "invitation" | "closed"; default_country: string | null; message_activity_sharing: boolean; creative_opt_out: boolean; template_max_price: boolean; push_shows_content: boolean; new_conversations: string; spend: Spend | null } }; permissions: PermissionKey[]; default_organization_id: string | null; two_factor_enabled: boolean; must_change_password: boolean; settings: OwnSettings; events: { log: string; seq: number }; last_login_at: string | null; created_at: string; updated_at: string; auth: { type: "session" | "api_key"; id: string | null } }
export type MeChanges = { full_name?: string; email?: string; current_password?: string; default_organization_id?: string }
export type Media = { id: string; kind: "image" | "video" | "audio" | "document" | "sticker"; mime_type: string | null; filename: string | null; size_bytes: number | null; sha256: string | null; width: number | null; height: number | null; duration_ms: number | null; state: "pending" | "ready" | "failed" | "expired"; created_at: string; expires_at: string | null }
export type MediaInfo = { id: string; kind: "image" | "video" | "audio" | "document" | "sticker"; mime_type: string | null; filename: string | null; size_bytes: number | null; sha256: string | null; width: number | null; height: number | null; duration_ms: number | null; state: "pending" | "ready" | "failed" | "expired"; created_at: string; expires_at: string | null; last_error: { code: string; message: string } | null; attempts: number }
export type MediaMessageRequest = { contact_id?: string; phone_number?: string; user_id?: string; type: "image" | "video" | "audio" | "document" | "sticker"; media_id?: string; media_url?: string; caption?: string; filename?: string; voice?: boolean | "true" | "false"; account_id?: string; reply_to?: string; client_ref?: string; take?: boolean | "true" | "false" }
export type Member = { id: string; user_id: string; organization_id: string; role_id: string; role_name: string; is_default: boolean; email: string; full_name: string; is_active: boolean; created_at: string }
export type MemberRole = { role_id: string }
export type Members = { members: Member[]; total: number; page: number; limit: number }
export type MergeRequest = { source_id: string }
export type Merged = { contact: Contact; merge_id: string }
export type Message = TextMessage | ImageMessage | VideoMessage | AudioMessage | DocumentMessage | StickerMessage | LocationMessage | ContactsMessage | InteractiveMessage | TemplateMessage | OrderMessage | SystemMessage | UnsupportedMessage
export type MessageCost = { amount: string; currency: string; category: string | null; is_estimate: boolean; free_reason: string | null }
export type MessageFact = { kind: "status" | "attempt" | "original" | "edit" | "revoke"; timestamp: string; received_at: string | null; status?: string; participant?: string; errors?: Record<string, unknown>[]; pricing?: Record<string, unknown> | null; template_id?: string | null; attempt?: number; path?: "messages" | "marketing_messages"; ended_at?: string | null; outcome?: "accepted" | "refused" | "ambiguous" | "unreachable" | null; http_status?: number | null; platform_code?: number | null; trace_id?: string | null; content?: Record<string, unknown> | null }
export type MessageFactPage = { items: MessageFact[] }
export type MessageFields = { id: string; conversation_id: string; contact_id: string; account_id: string; wa_message_id: string | null; direction: "incoming" | "outgoing"; status: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown"; timestamp: string; received_at: string; sent_at: string | null; delivered_at: string | null; read_at: string | null; played_at: string | null; failed_at: string | null; error: { code: string; platform_code: number | null; message: string; details: string | null; retryable: boolean; retry_after?: string } | null; reply_to: { id: string; type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "template" | "order" | "system" | "unsupported"; preview: string } | null; context: Record<string, unknown> | null; referral: Record<string, unknown> | null; media: { id: string; url: string | null; mime_type: string | null; filename: string | null; size_bytes: number | null; state: "pending" | "ready" | "failed" | "expired"; width: number | null; height: number | null; duration_ms: number | null; thumbnail_url: string | null } | null; reactions: Reaction[]; edited_at: string | null; revoked_at: string | null; preview: string; warnings: string[]; source: "contact" | "agent" | "api" | "chatbot" | "campaign" | "phone_app" | "platform_agent" | "other_app" | "system"; observed: boolean; ai_generated: boolean; ai_model: string | null; sent_by: { id: string; name: string | null } | null; client_ref: string | null; campaign_id: string | null; direct: boolean; platform_template_id: string | null; template_name: string | null; resend_of: string | null; repeat_of: string | null; pricing: { category: string | null; type: string | null; billable: boolean | null } | null; cost: MessageCost | null; created_at: string; raw?: Record<string, unknown> }
export type MessageHeaderFile = { type: "image" | "video" | "document"; media_id: string | null; filename: string | null }
export type MessageList = { items: ThreadItem[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null; has_more: boolean; has_more_before: boolean | null; has_more_after: boolean | null }
export type MessagePoint = { date: string; sent: number; received: number; delivered: number; read: number; failed: number }
export type MessagePreview = { rendered: RenderedMessage; platform_payload: Record<string, unknown>; platform_path: "messages" | "marketing_messages"; window_open: boolean; estimated_cost: { amount: string; currency: string } | null; warnings: string[] }
export type MessageReport = { summary: { total_sent: number; total_received: number; total_delivered: number; total_read: number; total_failed: number; delivery_rate: number; read_rate: number; avg_first_response_seconds: number; unique_contacts: number | null }; by_type: Record<string, number>; timeline: MessagePoint[]; range: { start_date: string; end_date: string; timezone: string; granularity: "hour" | "day" | "week" | "month" }; as_of: string; rebuilding: boolean }
export type NewAccount = { name: string; phone_id?: string; phone_number_id?: string; business_id?: string; waba_id?: string; access_token: string; app_id?: string | null; messaging_account_id?: string | null; app_secret?: string | null; webhook_verify_token?: string | null; pin?: string | null; api_version?: string; is_default_incoming?: boolean; is_default_outgoing?: boolean; auto_read_receipt?: boolean; marketing_path?: { policy: "fallback" | "strict" }; verify?: boolean }
export type NewAddressMessageInteractive = { type: "address_message"; body: string; header?: string; footer?: string; country: string; values?: Record<string, unknown>; saved_addresses?: { id: string; value: Record<string, unknown> }[]; validation_errors?: Record<string, unknown> }
export type NewAiApiConfig = { url: string; method?: "GET" | "POST"; headers?: Record<string, unknown>; body?: string | null; response_path?: string | null; cache_seconds?: number }
export type NewAiContext = { name: string; context_type?: "static" | "api"; content?: string | null; api_config?: NewAiApiConfig | null; trigger_keywords?: string[]; priority?: number; enabled?: boolean; account_id?: string | null }
export type NewApiKey = { name: string; permissions: PermissionKey[]; expires_at?: string | null }
export type NewApiKeyView = { id: string; name: string; key_prefix: string; permissions: PermissionKey[]; is_active: boolean; expires_at: string | null; last_used_at: string | null; last_used_ip: string | null; owner: { id: string; full_name: string }; usable: boolean; created_at: string; key: string; warnings: string[] }
export type NewArchive = { passphrase?: string; include_media?: boolean; include_events?: "none" }
export type NewAudioMessage = (NewMessageFields) & ({ type: "audio"; media_id?: string; media_url?: string; voice?: boolean })
export type NewBackup = { verify?: boolean; label?: string }
export type NewBotFlow = { name: string; graph?: Record<string, unknown>; description?: string | null; account_id?: string | null; trigger_keywords?: string[]; trigger_match_type?: "exact" | "contains" | "starts_with" | "regex"; priority?: number; enabled?: boolean; publish?: boolean; initial_message?: string | null; completion_message?: string | null; on_complete_action?: "none" | "webhook"; completion_config?: BotFlowCompletion | null; cancel_keywords?: string[]; cancel_message?: string | null; timeout_minutes?: number | null; timeout_message?: string | null; panel_config?: NewBotFlowPanel | null }
export type NewBotFlowPanel = { sections: ({ id: string; label: string; columns?: number; collapsible?: boolean; default_collapsed?: boolean; order?: number; fields: ({ key: string; label: string; order?: number; display_type?: "text" | "badge" | "tag"; color?: "blue" | "red" | "green" | "yellow" | "purple" | "gray" | null })[] })[] }
export type NewButtonInteractive = { type: "button"; body: string; header?: string | NewHeaderFile; footer?: string; buttons: { id: string; title: string }[] }
export type NewCallPermissionRequest = { account_id?: string; text?: string; template_id?: string; template_name?: string; language?: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; cards?: Record<string, unknown>[]; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string }
export type NewCallPermissionRequestInteractive = { type: "call_permission_request"; body: string; footer?: string }
export type NewCampaign = { name: string; account_id: string; template_id: string; variable_mapping?: Record<string, unknown>; audience?: { segment_id?: string | null; tag_ids?: string[]; tags_mode?: "any" | "all"; exclude_tag_ids?: string[]; exclude_contacted_days?: number | null }; default_params?: Record<string, unknown>; header_media_id?: string | null; header_media_url?: string; scheduled_at?: string | null; timezone?: string; send_window?: { from: string; to: string; days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[] } | null; rate_limit?: number | null; budget?: { amount: string; currency: string } | null; error_threshold?: number }
export type NewCampaignSchedule = { scheduled_at: string; timezone?: string }
export type NewCannedResponse = { name: string; content: string; shortcut?: string | null; category?: string; is_active?: boolean; buttons?: CannedButton[]; media_id?: string | null }
export type NewCatalogInteractive = { type: "catalog"; body: string; footer?: string; thumbnail_product_retailer_id?: string }
export type NewConsent = { purpose?: "marketing"; state: "opted_in" | "opted_out"; evidence?: string }
export type NewContact = { phone_number?: string; user_id?: string; name?: string | null; account_id?: string | null; tags?: string[]; tag_ids?: string[]; metadata?: Record<string, unknown>; attributes?: Record<string, unknown>; assigned_to?: string | null; language?: string | null; marketing_consent?: "unknown" | "opted_in" | "opted_out" }
export type NewContactAttribute = { key: string; label: string; type: "text" | "number" | "boolean" | "date" | "select" | "url" | "email"; options?: string[] }
export type NewContactCard = { name: { formatted_name: string; first_name?: string; last_name?: string; middle_name?: string; suffix?: string; prefix?: string }; phones?: { phone?: string; type?: string; wa_id?: string }[]; emails?: { email?: string; type?: string }[]; addresses?: { street?: string; city?: string; state?: string; zip?: string; country?: string; country_code?: string; type?: string }[]; urls?: { url?: string; type?: string }[]; org?: { company?: string; department?: string; title?: string }; birthday?: string }
export type NewContactRequestInteractive = { type: "contact_request"; body: string; footer?: string }
export type NewContactsMessage = (NewMessageFields) & ({ type: "contacts"; contacts: NewContactCard[] })
export type NewConversation = { contact_id: string; account_id?: string }
export type NewCtaUrlInteractive = { type: "cta_url"; body: string; header?: string | NewHeaderFile; footer?: string; button_text: string; url: string }
export type NewCustomAction = { name: string; action_type: string; config: CustomActionConfig; icon?: string | null; is_active?: boolean; display_order?: number }
export type NewDirectAudioMessage = (NewDirectMessageFields) & ({ type: "audio"; media_id?: string; media_url?: string; voice?: boolean })
export type NewDirectContactsMessage = (NewDirectMessageFields) & ({ type: "contacts"; contacts: NewContactCard[] })
export type NewDirectDocumentMessage = (NewDirectMessageFields) & ({ type: "document"; media_id?: string; media_url?: string; caption?: string; filename?: string })
export type NewDirectImageMessage = (NewDirectMessageFields) & ({ type: "image"; media_id?: string; media_url?: string; caption?: string })
export type NewDirectInteractiveMessage = (NewDirectMessageFields) & ({ type: "interactive"; interactive: NewInteractive })
export type NewDirectLocationMessage = (NewDirectMessageFields) & ({ type: "location"; location: { latitude: number; longitude: number; name?: string; address?: string } })
export type NewDirectMessage = NewDirectTextMessage | NewDirectImageMessage | NewDirectVideoMessage | NewDirectAudioMessage | NewDirectDocumentMessage | NewDirectStickerMessage | NewDirectLocationMessage | NewDirectContactsMessage | NewDirectInteractiveMessage | NewDirectTemplateMessage
export type NewDirectMessageFields = { contact_id?: string; phone_number?: string; user_id?: string; account_id?: string; reply_to?: string; direct?: boolean; client_ref?: string; take?: boolean }
export type NewDirectStickerMessage = (NewDirectMessageFields) & ({ type: "sticker"; media_id?: string; media_url?: string })
export type NewDirectTemplateMessage = (NewDirectMessageFields) & ({ type: "template"; template_id?: string; template_name?: string; language?: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; cards?: Record<string, unknown>[]; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string })
export type NewDirectTextMessage = (NewDirectMessageFields) & ({ type: "text"; text?: string; content?: { text: string }; preview_url?: boolean })
export type NewDirectVideoMessage = (NewDirectMessageFields) & ({ type: "video"; media_id?: string; media_url?: string; caption?: string })
export type NewDocumentMessage = (NewMessageFields) & ({ type: "document"; media_id?: string; media_url?: string; caption?: string; filename?: string })
export type NewExport = { table: "contacts" | "tags" | "messages"; columns?: string[]; filters?: ExportFilters; segment_id?: string; format?: "csv" | "jsonl" }
export type NewFlow = { account_id: string; name: string; categories: ("SIGN_UP" | "SIGN_IN" | "APPOINTMENT_BOOKING" | "LEAD_GENERATION" | "CONTACT_US" | "CUSTOMER_SUPPORT" | "SURVEY" | "OTHER")[]; json_definition?: Record<string, unknown>; endpoint_mode?: "none" | "rules" | "http"; endpoint_config?: Record<string, unknown> }
export type NewFlowInteractive = { type: "flow"; body: string; header?: string | NewHeaderFile; footer?: string; button_text: string; flow_id: string; mode?: "draft" | "published"; screen?: string; data?: Record<string, unknown> }
export type NewHeaderFile = { type: "image" | "video" | "document"; media_id?: string; media_url?: string }
export type NewImageMessage = (NewMessageFields) & ({ type: "image"; media_id?: string; media_url?: string; caption?: string })
export type NewInteractive = NewButtonInteractive | NewListInteractive | NewCtaUrlInteractive | NewFlowInteractive | NewLocationRequestInteractive | NewContactRequestInteractive | NewCallPermissionRequestInteractive | NewProductInteractive | NewProductListInteractive | NewCatalogInteractive | NewProductCarouselInteractive | NewMediaCarouselInteractive | NewAddressMessageInteractive | NewOrderDetailsInteractive | NewOrderStatusInteractive | NewVoiceCallInteractive
export type NewInteractiveMessage = (NewMessageFields) & ({ type: "interactive"; interactive: NewInteractive })
export type NewInvitation = { email?: string | null; role_id?: string; expires_in_hours?: number }
export type NewKeywordRule = { keywords: string[]; name?: string; match_type?: "exact" | "contains" | "starts_with" | "regex"; case_sensitive?: boolean; whole_word?: boolean; response_type?: "text" | "buttons" | "media" | "template" | "flow" | "transfer"; response?: string | null; response_content?: { buttons?: { id?: string; title: string }[]; header?: string | null; footer?: string | null; media_id?: string | null; url?: string | null; kind?: "image" | "video" | "audio" | "document" | "sticker"; filename?: string | null; template_id?: string; params?: Record<string, unknown>; flow_id?: string; team_id?: string | "general" | null; notes?: string | null }; priority?: number; enabled?: boolean; account_id?: string | null; active_from?: string | null; active_until?: string | null; active_hours?: ({ day: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday" | number; enabled?: boolean; start_time: string; end_time: string })[]; interrupts_flow?: boolean }
export type NewLink = { ttl?: number }
export type NewListInteractive = { type: "list"; body: string; header?: string; footer?: string; button_text: string; sections: { title?: string; rows: { id: string; title: string; description?: string }[] }[] }
export type NewLocationMessage = (NewMessageFields) & ({ type: "location"; location: { latitude: number; longitude: number; name?: string; address?: string } })
export type NewLocationRequestInteractive = { type: "location_request"; body: string; footer?: string }
export type NewMediaCarouselInteractive = { type: "media_carousel"; body: string; cards: ({ header: { type: "image" | "video"; media_id?: string; media_url?: string }; body?: string; button_text: string; url: string })[] }
export type NewMember = { user_id?: string; email?: string; role_id?: string }
export type NewMessage = NewTextMessage | NewImageMessage | NewVideoMessage | NewAudioMessage | NewDocumentMessage | NewStickerMessage | NewLocationMessage | NewContactsMessage | NewInteractiveMessage | NewTemplateMessage
export type NewMessageFields = { account_id?: string; reply_to?: string; direct?: boolean; client_ref?: string; take?: boolean }
export type NewNote = { content: string; mentions?: string[]; pinned?: boolean }
export type NewOrderDetailsInteractive = { type: "order_details"; body: string; header?: string | NewHeaderFile; footer?: string; parameters: Record<string, unknown> }
export type NewOrderStatusInteractive = { type: "order_status"; body: string; footer?: string; reference_id: string; order_status: "pending" | "processing" | "partially_shipped" | "shipped" | "completed" | "canceled"; description?: string }
export type NewOrganization = { name: string }
export type NewOrganizationImport = { path?: string; passphrase?: string; dry_run?: boolean | "true" | "false" }
export type NewOrganizationMove = { to: string }
export type NewOwner = { to: "user" | "team" | "queue" | "nobody"; id?: string | null; note?: string | null }
export type NewPhoneNumber = { signup_token: string; business_id: string; phone_number: string; verified_name: string; name?: string }
export type NewPrices = { rows?: Record<string, unknown>[]; effective_from?: string; free_per_month?: string }
export type NewProductCarouselInteractive = { type: "product_carousel"; body: string; catalog_id: string; product_retailer_ids: string[] }
export type NewProductInteractive = { type: "product"; body?: string; footer?: string; catalog_id: string; product_retailer_id: string }
export type NewProductListInteractive = { type: "product_list"; body: string; header: string; footer?: string; catalog_id: string; sections: { title?: string; product_retailer_ids: string[] }[] }
export type NewPushSubscription = { endpoint: string; keys: { p256dh: string; auth: string } }
export type NewReaction = { emoji: string }
export type NewRecipients = { recipients?: { phone_number?: string; contact_id?: string; user_id?: string; recipient_name?: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown> }[]; column_mapping?: string; replace?: boolean | "true" | "false" }
export type NewRole = { name: string; description?: string | null; permissions: PermissionKey[]; is_default?: boolean }
export type NewScheduledMessage = { contact_id: string; account_id?: string; message: NewMessage; send_at: string; cancel_on_reply?: boolean; fallback_template?: FallbackTemplate | null }
export type NewScheduledReport = { reports: ("dashboard" | "messages" | "chatbot" | "agents" | "campaigns" | "costs")[]; every: "week" | "month"; user_ids: string[]; at?: string; is_active?: boolean }
export type NewSegment = { name: string; description?: string | null; filter: Record<string, unknown>; shared?: boolean }
export type NewSpend = { monthly: string; currency: string; warn_at?: number[]; at_limit?: "warn" | "stop_bots" | "stop_marketing" }
export type NewStickerMessage = (NewMessageFields) & ({ type: "sticker"; media_id?: string; media_url?: string })
export type NewTag = { name: string; color?: "blue" | "red" | "green" | "yellow" | "purple" | "gray" }
export type NewTags = { tags?: string[]; tag_ids?: string[] }
export type NewTeam = { name: string; description?: string | null; assignment_strategy?: "round_robin" | "load_balanced" | "manual"; is_active?: boolean; per_agent_timeout_secs?: number; max_active_per_agent?: number | null }
export type NewTeamMember = { user_id: string; role?: "agent" | "manager" }
export type NewTemplate = { account_id: string; name: string; language: string; category: string; components: Record<string, unknown>[]; sample_values?: ({ component: "HEADER" | "BODY" | "BUTTONS"; index?: number; param_name?: string; card?: number; value: string })[]; parameter_format?: string; display_name?: string; message_send_ttl_seconds?: number | null; max_price?: number | null; creative_opt_out?: boolean | null; header_media_id?: string | null; submit?: boolean; allow_category_change?: boolean }
export type NewTemplateMessage = (NewMessageFields) & ({ type: "template"; template_id?: string; template_name?: string; language?: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; cards?: Record<string, unknown>[]; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string })
export type NewTextMessage = (NewMessageFields) & ({ type: "text"; text?: string; content?: { text: string }; preview_url?: boolean })
export type NewTransfer = { contact_id: string; account_id?: string | null; team_id?: string | null; agent_id?: string | null; notes?: string | null; priority?: number }
export type NewUser = { email: string; password: string; full_name: string; role_id?: string; is_super_admin?: boolean }
export type NewVideoMessage = (NewMessageFields) & ({ type: "video"; media_id?: string; media_url?: string; caption?: string })
export type NewView = { name: string; resource: "conversations" | "contacts" | "campaigns"; filter: Record<string, unknown>; is_shared?: boolean; position?: number }
export type NewVoiceCallInteractive = { type: "voice_call"; body: string; footer?: string; button_text?: string; ttl_minutes?: number; payload?: string }
export type NewWebhookEndpoint = { name: string; url: string; events: string[]; secret?: string; account_ids?: string[]; headers?: Record<string, unknown>; is_active?: boolean; concurrency?: number; rate_per_second?: number | null; ordering?: "none" | "per_contact"; include_phone_numbers?: boolean }
export type NewWebhookReplay = { from: string; to?: string; events?: string[]; only_failed?: boolean }
export type NewWebhookTest = { event?: string }
export type Note = { id: string; contact_id: string; content: string; mentions: string[]; pinned: boolean; created_by: string | null; created_by_name: string | null; created_at: string; updated_at: string }
export type NoteChanges = { content?: string; pinned?: boolean }
export type NoteList = { items: Note[]; total: number | null; page: number | null; limit: number; total_pages: number | null; has_more: boolean }
export type Notification = { id: string; kind: "membership_added" | "member_registered" | "credentials_changed" | "token_reused" | "api_key_stopped" | "mention" | "token_expiring" | "token_invalid" | "account_paused" | "account_suspended" | "account_notice" | "quality_drop" | "funding_missing" | "number_silent" | "service_allowance" | "ai_provider" | "bulk_done" | "import_done" | "export_done" | "backup_failed" | "cell_unreachable" | "organization_imported" | "organization_moved" | "organization_move_aborted" | "report_failed" | "price_list_old" | "budget_warning" | "bot_loop" | "bot_failed" | "bot_repeated" | "sends_unknown" | "ai_budget_reached" | "human_path_missing" | "flow_blocked" | "flow_throttled" | "campaign_paused" | "campaign_late" | "campaign_quota" | "campaign_incomplete" | "template_notice" | "messaging_limit_near" | "messaging_limit_used" | "webhook_failing" | "webhook_disabled" | "webhook_replay_done" | "assigned" | "sla_warning" | "sla_critical" | "scheduled_failed"; severity: "info" | "warning" | "critical"; title: string; body: string; link: string | null; created_at: string; read_at: string | null }
export type NotificationPage = { items: Notification[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type OpenedConversation = { id: string; contact: { id: string; name?: string | null; profile_name?: string | null; display_name: string | null; phone_number: string | null; wa_id?: string | null; user_id?: string | null; parent_user_id?: string | null; username?: string | null; country?: string | null; language?: string | null; avatar_url: string | null; account_id?: string | null; assigned_to?: string | null; assigned_user?: { id: string; full_name: string } | null; assigned_team_id?: string | null; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[]; metadata?: Record<string, unknown>; attributes?: Record<string, unknown>; marketing_consent?: "unknown" | "opted_in" | "opted_out"; blocked: boolean; blocked_at?: string | null; source?: "inbound" | "manual" | "import" | "api" | "campaign" | "phone_app"; first_seen_at?: string; last_message_at?: string | null; last_message_preview?: string | null; last_inbound_at?: string | null; window_expires_at?: string | null; unread_count?: number; created_at?: string; updated_at?: string; identities?: ({ kind: "phone" | "user_id" | "parent_user_id"; value: string; account_id: string | null; first_seen_at: string })[]; platform_blocked?: boolean }; account_id: string; state: "open" | "pending" | "snoozed" | "closed"; assigned_to: string | null; assigned_user: { id: string; full_name: string } | null; team_id: string | null; team: { id: string; name: string } | null; unread_count: number; last_message: { id: string; direction: "incoming" | "outgoing"; type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "template" | "order" | "system" | "unsupported" | "call"; preview: string; status: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown"; timestamp: string; error_code: string | null } | null; transfer: { id: string; agent_id: string | null; team_id: string | null; priority: number; sla_response_deadline: string | null; sla_breached: boolean } | null; last_inbound_at: string | null; window_expires_at: string | null; window_open: boolean; snoozed_until: string | null; first_response_at: string | null; bot_active: boolean; bot_waits_until: string | null; priority: "low" | "normal" | "high" | "urgent"; thread_owner: "us" | "platform_agent" | "other_app" | "idle" | "unknown"; owner_since: string | null; owner_role: string | null; can_take: boolean; can_call: boolean; closed_at: string | null; created_at: string; updated_at: string; first_referral: Record<string, unknown> | null; last_referral: Record<string, unknown> | null; free_entry_point_until: string | null; cost_month: CostMonth | null; messages?: MessageList; notes?: NoteList; members?: ColleagueList; timeline?: Timeline }
export type Order = { id: string; message_id: string; conversation_id: string; contact_id: string; account_id: string; state: "new" | "confirmed" | "shipped" | "completed" | "cancelled"; catalog_id: string | null; text: string | null; items: ({ product_retailer_id: string | null; quantity: number | null; item_price: number | null; currency: string | null })[]; total: number | null; currency: string | null; timestamp: string; created_at: string; updated_at: string }
export type OrderChange = { state: "new" | "confirmed" | "shipped" | "completed" | "cancelled" }
export type OrderContent = { catalog_id: string | null; text: string | null; items: ({ product_retailer_id: string | null; quantity: number | null; item_price: number | null; currency: string | null })[]; total: number | null; currency: string | null; errors?: Record<string, unknown>[] }
export type OrderMessage = (MessageFields) & ({ type: "order"; content: OrderContent })
export type OrderPage = { items: Order[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type Organization = { id: string; name: string; slug: string; deletes_at?: string; created_at: string }
export type OrganizationArchive = { id: string; status: "queued" | "running" | "completed" | "failed" | "expired"; include_media: boolean; has_secrets: boolean; bytes: number | null; counts: { rows: number; files: number; missing_files: number; secrets_left: number } | null; error: string | null; created_by: string | null; created_at: string; finished_at: string | null; expires_at: string | null }
export type OrganizationArchivePage = { items: OrganizationArchive[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type OrganizationDeleted = { message: string; organization: Organization | null }
export type OrganizationDeletion = { confirm: string; erase_now?: boolean }
export type OrganizationImport = { id: string; state: "checking" | "checked" | "running" | "waiting" | "completed" | "failed" | "cancelled"; dry_run: boolean; filename: string | null; organization: { id: string; name: string; slug: string } | null; counts: Record<string, number>; conflicts: ({ kind: "organization_exists" | "slug_taken" | "number_in_use" | "email_exists" | "counts_differ" | "value_changed"; message: string; file?: string; line?: number })[]; rows_total: number; rows_done: number; error: { code: string; message: string; file?: string; line?: number; field?: string } | null; created_at: string; started_at: string | null; finished_at: string | null }
export type OrganizationImportPage = { items: OrganizationImport[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type OrganizationMove = { id: string; organization_id: string; to: string; step: "freezing" | "draining" | "exporting" | "uploading" | "importing" | "activating" | "completed" | "aborting" | "aborted"; error: string | null; archive_bytes: number | null; sent_bytes: number; rows_done: number; rows_total: number; created_at: string; frozen_at: string | null; thawed_at: string | null; forced_at: string | null; finished_at: string | null }
export type OrganizationMovePage = { items: OrganizationMove[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type OutboxCancelled = { cancelled: number }
export type OutboxItem = { message_id: string; account_id: string; contact_id: string; type: string; stage: "queued" | "held" | "uploading" | "retry_wait" | "sending" | "ambiguous"; attempts: number; next_at: string | null; held_reason: "pending" | "disconnected" | "suspended" | "no_token" | "paused" | "paused_by_person" | "restricted" | "funding" | "template_paused" | "template_syncing" | "contact_pace" | "earlier_unconfirmed" | "media" | null; last_error: string | null; created_at: string }
export type OutboxItemPage = { items: OutboxItem[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type OutboxPause = { account_id: string; paused: boolean }
export type OutboxStats = { account_id: string; paused: boolean; queued: number; held: number; retry_wait: number; ambiguous: number; rate_now: number; rate_limit: number; oldest_age_ms: number | null }
export type OwnOrganizations = { organizations: { organization_id: string; name: string; slug: string; role_id: string; role_name: string; is_default: boolean; moved_to?: string }[]; total?: number; page?: number; limit?: number }
export type OwnSettings = { email_notifications: boolean; new_message_alerts: boolean; campaign_updates: boolean; language: string | null; ui: Record<string, unknown> }
export type OwnSettingsChanges = { email_notifications?: boolean; new_message_alerts?: boolean; campaign_updates?: boolean; language?: string | null; ui?: Record<string, unknown> }
export type OwnSettingsSaved = { message: string; settings: OwnSettings }
export type PasswordChange = { current_password: string; new_password: string }
export type PasswordProof = { current_password: string }
export type PauseRequest = { account_id: string; reason?: string }
export type Permission = { id: string; resource: string; action: string; description: string; key: PermissionKey }
export type PermissionKey = "users:read" | "users:create" | "users:update" | "users:delete" | "roles:read" | "roles:create" | "roles:update" | "roles:delete" | "organizations:read" | "organizations:create" | "organizations:export" | "organizations:delete" | "organizations:assign" | "settings:read" | "settings:update" | "accounts:read" | "accounts:create" | "accounts:update" | "accounts:delete" | "contacts:read" | "contacts:read_all" | "contacts:create" | "contacts:update" | "contacts:delete" | "contacts:import" | "contacts:export" | "contacts:unmask" | "tags:read" | "tags:create" | "tags:update" | "tags:delete" | "messages:read" | "messages:create" | "templates:read" | "templates:create" | "templates:update" | "templates:delete" | "templates:sync" | "flows:read" | "flows:create" | "flows:update" | "flows:delete" | "canned_responses:read" | "canned_responses:create" | "canned_responses:update" | "canned_responses:delete" | "campaigns:read" | "campaigns:create" | "campaigns:update" | "campaigns:delete" | "campaigns:execute" | "chatbot:read" | "chatbot:create" | "chatbot:update" | "chatbot:delete" | "transfers:read" | "transfers:create" | "transfers:assign" | "transfers:pickup" | "teams:read" | "teams:create" | "teams:update" | "teams:delete" | "custom_actions:read" | "custom_actions:create" | "custom_actions:update" | "custom_actions:delete" | "webhooks:read" | "webhooks:create" | "webhooks:update" | "webhooks:delete" | "api_keys:read" | "api_keys:create" | "api_keys:update" | "api_keys:delete" | "analytics:read" | "audit_logs:read" | "jobs:read" | "jobs:retry"
export type PickUpTransferResult = { transfer: Transfer }
export type PickedTransfer = { transfer: Transfer | null; message: string }
export type Presence = { conversation_id: string; contact_id: string; users: ({ id: string; full_name: string; doing: "viewing" | "typing" })[] }
export type PresencePage = { items: Presence[] }
export type Price = { country: string; category: string; kind: "template" | "service"; price: string; currency: string; inside_window: boolean | null; free_per_month: number | null; effective_from: string; source: string }
export type PricePage = { items: Price[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type PricesImported = { imported: number; replaced: number; invalid: { row: number; reason: string }[] }
export type PrivacyExportRequest = { reason?: string }
export type PrivacyRequest = { id: string; kind: "erase" | "export"; state: "running" | "completed" | "failed" | "expired"; contact_id: string; reason: string | null; requested_by: string | null; created_at: string; receipt: { counts: Record<string, number>; sha256: string | null; completed_at: string; note: string | null } | null; expires_at: string | null; error: string | null }
export type PrivacyRequestPage = { items: PrivacyRequest[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type PushKey = { public_key: string }
export type PushSubscription = { id: string; created_at: string }
export type Queued = { queued: number }
export type Reaction = { emoji: string; by: "contact" | "user"; user_id: string | null; user_name: string | null; contact_id: string | null; at: string }
export type Reactions = { message_id: string; reactions: Reaction[] }
export type ReadContact = { account_id?: string; send_receipt?: boolean }
export type ReadNotifications = { ids?: string[] }
export type ReadUpTo = { up_to?: string; send_receipt?: boolean }
export type ReceiveWebhookRequest = Record<string, unknown>
export type RecipientsBrought = { imported: number; duplicates: number; invalid: number; total_recipients: number; errors: ({ row: number; phone_number: string | null; reason: string })[] }
export type RefreshRequest = { refresh_token?: string; use_cookie?: boolean; include?: ("me" | "start")[] }
export type Registered = { user: { id: string; email: string; full_name: string; organization_id: string; role: { id: string; name: string } }; access_token: string; refresh_token: string | null; expires_in: number }
export type Registration = { email: string; password: string; full_name: string; organization_id: string; invitation_token?: string; code?: string; use_cookie?: boolean }
export type Removed = { message: string; contacts_unassigned: number; transfers_returned: number; api_keys_stopped: number }
export type RenderFor = { contact_id: string }
export type RenderedAudioMessage = { type: "audio"; content: AudioContent }
export type RenderedContactsMessage = { type: "contacts"; content: ContactsContent }
export type RenderedDocumentMessage = { type: "document"; content: FileContent }
export type RenderedImageMessage = { type: "image"; content: FileContent }
export type RenderedInteractiveMessage = { type: "interactive"; content: InteractiveContent }
export type RenderedLocationMessage = { type: "location"; content: LocationContent }
export type RenderedMessage = RenderedTextMessage | RenderedImageMessage | RenderedVideoMessage | RenderedAudioMessage | RenderedDocumentMessage | RenderedStickerMessage | RenderedLocationMessage | RenderedContactsMessage | RenderedInteractiveMessage | RenderedTemplateMessage | RenderedOrderMessage | RenderedSystemMessage | RenderedUnsupportedMessage
export type RenderedOrderMessage = { type: "order"; content: OrderContent }
export type RenderedResponse = { content: string; buttons: CannedButtonView[] }
export type RenderedStickerMessage = { type: "sticker"; content: StickerContent }
export type RenderedSystemMessage = { type: "system"; content: SystemContent }
export type RenderedTemplateMessage = { type: "template"; content: TemplateContent }
export type RenderedTextMessage = { type: "text"; content: TextContent }
export type RenderedUnsupportedMessage = { type: "unsupported"; content: UnsupportedContent }
export type RenderedVideoMessage = { type: "video"; content: FileContent }
export type ReplayRequest = { from?: string; to?: string; field?: string; state?: "done" | "partial" | "failed" | "unrouted" | "ignored"; phone_number_id?: string }
export type Resending = { take?: boolean }
export type ResetLink = { reset_url: string; expires_at: string }
export type ResetRequest = { token: string; new_password: string }
export type ResumeTransfer = { notes?: string | null }
export type Retention = { messages_days: number | null; media_days: number | null; notes_days: number | null; contacts_inactive_days: number | null; journal_days: number; legal_hold: boolean; next_run_at: string; effective_at: string | null }
export type RetentionChanges = { messages_days?: number | null; media_days?: number | null; notes_days?: number | null; contacts_inactive_days?: number | null; journal_days?: number; legal_hold?: boolean }
export type RetentionPreview = { would_delete: { messages: number; media: number; media_bytes: number; notes: number; contacts: number } }
export type RetryCount = { count: number }
export type RetryRequest = { kind?: string; from?: string; to?: string; state?: "discarded" }
export type Role = { id: string; name: string; description: string | null; is_system: boolean; is_default: boolean; permission_count: number; user_count: number; created_at: string; updated_at: string; permissions: { id: string; resource: string; action: string; description: string }[] }
export type RoleChanges = { name?: string; description?: string | null; permissions?: PermissionKey[]; is_default?: boolean }
export type RoleSummary = { id: string; name: string; description: string | null; is_system: boolean; is_default: boolean; permission_count: number; user_count: number; created_at: string; updated_at: string }
export type RoleSummaryPage = { items: RoleSummary[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type RotatedWebhookSecret = { secret: string; previous_expires_at: string | null }
export type SavedFlow = { meta_flow_id: string; validation_errors: FlowValidationError[]; flow: Flow }
export type ScheduleList = { items: ({ name: string; schedule: string; last_run_at: string | null; last_outcome: "completed" | "scheduled" | "retryable" | "cancelled" | "discarded" | null; next_run_at: string })[] }
export type ScheduledMessage = { id: string; contact_id: string; account_id: string; message: Record<string, unknown>; send_at: string; cancel_on_reply: boolean; fallback_template: Record<string, unknown> | null; state: "scheduled" | "sent" | "failed" | "cancelled"; message_id: string | null; fallback_sent: boolean; error: { code: string; message: string } | null; created_by: { id: string; name: string | null } | null; created_at: string; updated_at: string; ended_at: string | null }
export type ScheduledMessageChanges = { message?: NewMessage; send_at?: string; cancel_on_reply?: boolean; fallback_template?: FallbackTemplate | null }
export type ScheduledMessagePage = { items: ScheduledMessage[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type ScheduledReport = { id: string; reports: ("dashboard" | "messages" | "chatbot" | "agents" | "campaigns" | "costs")[]; every: "week" | "month"; user_ids: string[]; at: string; is_active: boolean; made_by: string | null; next_at: string | null; last_at: string | null; last_outcome: "sending" | "sent" | "failed" | "left_out" | "too_late" | null; created_at: string; updated_at: string }
export type ScheduledReportChanges = { reports?: ("dashboard" | "messages" | "chatbot" | "agents" | "campaigns" | "costs")[]; every?: "week" | "month"; user_ids?: string[]; at?: string; is_active?: boolean }
export type ScheduledReportList = { items: ScheduledReport[] }
export type Segment = { id: string; name: string; description: string | null; filter: Record<string, unknown>; shared: boolean; created_by: string | null; last_count: number | null; last_counted_at: string | null; created_at: string; updated_at: string }
export type SegmentChanges = { name?: string; description?: string | null; filter?: Record<string, unknown>; shared?: boolean }
export type SegmentPage = { items: Segment[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type SegmentPreview = { count: number; sample: Contact[]; excluded: { opted_out: number; blocked: number; no_phone: number } }
export type SegmentProbe = { filter: Record<string, unknown> }
export type SentTemplateMessage = { id: string; conversation_id: string; contact_id: string; account_id: string; wa_message_id: string | null; direction: "incoming" | "outgoing"; type: "template"; content: TemplateContent; status: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown"; timestamp: string; received_at: string; sent_at: string | null; delivered_at: string | null; read_at: string | null; played_at: string | null; failed_at: string | null; error: { code: string; platform_code: number | null; message: string; details: string | null; retryable: boolean; retry_after?: string } | null; reply_to: { id: string; type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "template" | "order" | "system" | "unsupported"; preview: string } | null; context: Record<string, unknown> | null; referral: Record<string, unknown> | null; media: { id: string; url: string | null; mime_type: string | null; filename: string | null; size_bytes: number | null; state: "pending" | "ready" | "failed" | "expired"; width: number | null; height: number | null; duration_ms: number | null; thumbnail_url: string | null } | null; reactions: Reaction[]; edited_at: string | null; revoked_at: string | null; preview: string; warnings: string[]; source: "contact" | "agent" | "api" | "chatbot" | "campaign" | "phone_app" | "platform_agent" | "other_app" | "system"; observed: boolean; ai_generated: boolean; ai_model: string | null; sent_by: { id: string; name: string | null } | null; client_ref: string | null; campaign_id: string | null; direct: boolean; platform_template_id: string | null; template_name: string | null; resend_of: string | null; repeat_of: string | null; pricing: { category: string | null; type: string | null; billable: boolean | null } | null; cost: MessageCost | null; created_at: string; raw?: Record<string, unknown>; message_id: string; phone_number: string | null }
export type Session = { id: string; created_at: string; last_used_at: string; expires_at: string; ip_address: string; user_agent: string; organization_id: string | null; is_current: boolean }
export type SessionData = { session_id: string | null; flow_id: string | null; flow_name: string | null; session_data: Record<string, unknown> | null; panel_config: BotFlowPanel | null }
export type SessionPage = { items: Session[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type Settings = { name: string; settings: { mask_phone_numbers: boolean; timezone: string; date_format: string; registration_policy: "open" | "invitation" | "closed"; default_country: string | null; message_activity_sharing: boolean; creative_opt_out: boolean; template_max_price: boolean; push_shows_content: boolean; new_conversations: string; spend: Spend | null } }
export type SettingsChanged = { message: string; name: string; settings: { mask_phone_numbers: boolean; timezone: string; date_format: string; registration_policy: "open" | "invitation" | "closed"; default_country: string | null; message_activity_sharing: boolean; creative_opt_out: boolean; template_max_price: boolean; push_shows_content: boolean; new_conversations: string; spend: Spend | null } }
export type SettingsChanges = { name?: string; mask_phone_numbers?: boolean; timezone?: string; date_format?: string; registration_policy?: "open" | "invitation" | "closed"; default_country?: string | null; message_activity_sharing?: boolean; creative_opt_out?: boolean; template_max_price?: boolean; push_shows_content?: boolean; new_conversations?: "nobody" | "general" | string; spend?: NewSpend | null }
export type Setup = { steps: ({ key: "own_password" | "number_connected" | "webhook_seen" | "first_message" | "colleague_invited" | "template_synced" | "base_url_matches" | "mail_configured" | "backup_elsewhere"; done: boolean; why: string; link: string })[]; dismissed: boolean }
export type SetupChange = { dismissed: boolean }
export type SignInBranding = { name: string | null; logo_url: string | null }
export type SignedUpAccount = { account: Account; warnings: string[] }
export type SignupCode = { code?: string; redirect_uri?: string; signup_token?: string; phone_id?: string; business_id?: string; name?: string }
export type SipServer = { hostname: string; port?: number | null; request_uri_user_params?: Record<string, string> }
export type Snooze = { until: string | "reply" }
export type Spend = { monthly: string; currency: string; warn_at: number[]; at_limit: "warn" | "stop_bots" | "stop_marketing" }
export type Start = { notifications?: { items: Notification[]; total: number | null; page: number | null; limit: number; total_pages: number | null }; socket_ticket?: Ticket; conversation_counts?: ConversationCounts; organizations?: OwnOrganizations; branding?: Branding; scheduled_messages?: { items: ScheduledMessage[]; total: number | null; page: number | null; limit: number; total_pages: number | null }; custom_actions?: { items: CustomAction[]; total: number | null; page: number | null; limit: number; total_pages: number | null; custom_actions: CustomAction[] }; views?: { items: View[]; total: number | null; page: number | null; limit: number; total_pages: number | null } }
export type StartedWebhookReplay = { replay_id: string; count: number }
export type StickerContent = { caption: string | null; mime_type: string | null; filename: string | null; sha256: string | null; size_bytes: number | null; errors?: Record<string, unknown>[]; animated: boolean }
export type StickerMessage = (MessageFields) & ({ type: "sticker"; content: StickerContent })
export type SwitchRequest = { organization_id: string; use_cookie?: boolean; include?: ("me" | "start")[] }
export type Switched = { user: { id: string; email: string; full_name: string; organization_id: string; role: { id: string; name: string; permissions: { resource: string; action: string }[] } }; access_token: string; refresh_token: string | null; expires_in: number; me?: Me; start?: Start }
export type SystemContent = { event: "number_changed" | "user_id_changed" | "identity_changed" | "handover" | "other"; text: string | null; old: string | null; new: string | null; errors?: Record<string, unknown>[] }
export type SystemMessage = (MessageFields) & ({ type: "system"; content: SystemContent })
export type Tag = { id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray"; contact_count: number | null; created_at: string; updated_at: string }
export type TagChanges = { name?: string; color?: "blue" | "red" | "green" | "yellow" | "purple" | "gray" }
export type TagPage = { items: Tag[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type TagsOfContact = { id: string; tags: ({ id: string; name: string; color: "blue" | "red" | "green" | "yellow" | "purple" | "gray" })[] }
export type Team = { id: string; name: string; description: string | null; assignment_strategy: "round_robin" | "load_balanced" | "manual"; is_active: boolean; per_agent_timeout_secs: number; max_active_per_agent: number | null; member_count: number; created_at: string; updated_at: string }
export type TeamChanges = { name?: string; description?: string | null; assignment_strategy?: "round_robin" | "load_balanced" | "manual"; is_active?: boolean; per_agent_timeout_secs?: number; max_active_per_agent?: number | null }
export type TeamMember = { id: string; user_id: string; full_name: string; email: string; role: "agent" | "manager"; is_available: boolean; active_transfers: number; last_assigned_at: string | null }
export type TeamMemberChanges = { role: "agent" | "manager" }
export type TeamPage = { items: Team[]; total: number | null; page: number | null; limit: number; total_pages: number | null; teams: Team[] }
export type Template = { id: string; account_id: string; business_id: string; platform_id: string | null; name: string; display_name: string; language: string; category: "MARKETING" | "UTILITY" | "AUTHENTICATION"; announced_category: { category: "MARKETING" | "UTILITY" | "AUTHENTICATION"; effective_at: string | null } | null; status: string; archived_at: string | null; deleted_from_archive_at: string | null; reason: string | null; recommendation: string | null; quality: "GREEN" | "YELLOW" | "RED" | "UNKNOWN"; parameter_format: "positional" | "named"; components: Record<string, unknown>[]; sample_values: ({ component: "HEADER" | "BODY" | "BUTTONS" | "LIMITED_TIME_OFFER"; index: number | null; param_name: string | null; card: number | null; value: string })[]; variables: ({ component: "HEADER" | "BODY" | "BUTTONS" | "LIMITED_TIME_OFFER"; key: string; index: number | null; card: number | null; required: boolean; example: string | null })[]; message_send_ttl_seconds: number | null; max_price: number | null; creative_opt_out: boolean | null; published_creative_opt_out: boolean | null; header_media_id: string | null; has_local_changes: boolean; usage: { sent_30d: number; last_sent_at: string | null }; synced_at: string | null; created_by: string | null; created_at: string; updated_at: string }
export type TemplateChanges = { name?: string; language?: string; components?: Record<string, unknown>[]; sample_values?: ({ component: "HEADER" | "BODY" | "BUTTONS"; index?: number; param_name?: string; card?: number; value: string })[]; category?: string; display_name?: string; message_send_ttl_seconds?: number | null; max_price?: number | null; creative_opt_out?: boolean | null; header_media_id?: string | null }
export type TemplateContent = { template_id: string; name: string; language: string; category: string; header: string | Record<string, unknown> | null; body: string | null; footer: string | null; offer: { text: string; expires_at: string | null } | null; buttons: Record<string, unknown>[]; cards: Record<string, unknown>[]; params: Record<string, unknown> }
export type TemplateCopy = { name: string; language?: string; account_id?: string }
export type TemplateMessage = (MessageFields) & ({ type: "template"; content: TemplateContent })
export type TemplateMessageRequest = { contact_id?: string; phone_number?: string; user_id?: string; template_id?: string; template_name?: string; language?: string; template_params?: Record<string, unknown> | string; header_params?: Record<string, unknown> | string; button_params?: Record<string, unknown> | string; cards?: Record<string, unknown>[] | string; flow_params?: Record<string, unknown> | string; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string; account_id?: string; account_name?: string; reply_to?: string; client_ref?: string }
export type TemplatePage = { items: Template[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type TemplatePreview = { header: string | Record<string, unknown> | null; body: string | null; footer: string | null; buttons: Record<string, unknown>[]; cards: Record<string, unknown>[]; missing: string[]; problems: { path: string; message: string }[]; platform_payload: Record<string, unknown>; estimated_cost: { amount: string; currency: string } | null }
export type TemplatePreviewRequest = { template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; cards?: Record<string, unknown>[]; contact_id?: string }
export type TemplateSample = { handle: string; media_id: string; filename: string | null; mime_type: string | null; size_bytes: number | null }
export type TemplateStats = { sent: number; delivered: number; read: number; failed: number; clicks: { button: string; count: number }[]; cost: { amount: string; currency: string } | null }
export type TemplateSync = { synced: number; new: number; updated: number; removed: number; unchanged: number; accounts: ({ account_id: string; error: string | null })[] }
export type TemplateSyncRequest = { account_id?: string }
export type TemplateTest = { phone_number: string; template_params?: Record<string, unknown>; header_params?: Record<string, unknown>; button_params?: Record<string, unknown>; cards?: Record<string, unknown>[]; flow_params?: Record<string, unknown>; offer_expires_at?: string; header_media_id?: string; header_media_url?: string; header_media_filename?: string; account_id?: string }
export type TextContent = { text: string | null; errors?: Record<string, unknown>[] }
export type TextMessage = (MessageFields) & ({ type: "text"; content: TextContent })
export type ThreadAudioItem = (ThreadItemFields) & ({ type: "audio"; content: AudioContent })
export type ThreadCallItem = (ThreadItemFields) & ({ type: "call"; content: CallContent })
export type ThreadContactsItem = (ThreadItemFields) & ({ type: "contacts"; content: ContactsContent })
export type ThreadControl = { action: "pass" | "release" | "take"; to_role?: "ai_agent" | "ctwa" | "customer_service" | "escalation" | "marketing" | "utility" }
export type ThreadDocumentItem = (ThreadItemFields) & ({ type: "document"; content: FileContent })
export type ThreadImageItem = (ThreadItemFields) & ({ type: "image"; content: FileContent })
export type ThreadInteractiveItem = (ThreadItemFields) & ({ type: "interactive"; content: InteractiveContent })
export type ThreadItem = ThreadTextItem | ThreadImageItem | ThreadVideoItem | ThreadAudioItem | ThreadDocumentItem | ThreadStickerItem | ThreadLocationItem | ThreadContactsItem | ThreadInteractiveItem | ThreadTemplateItem | ThreadOrderItem | ThreadSystemItem | ThreadUnsupportedItem | ThreadCallItem
export type ThreadItemFields = { id: string; conversation_id: string; contact_id: string; account_id: string; wa_message_id: string | null; direction: "incoming" | "outgoing"; status: "pending" | "sent" | "delivered" | "read" | "failed" | "unknown"; timestamp: string; received_at: string; sent_at: string | null; delivered_at: string | null; read_at: string | null; played_at: string | null; failed_at: string | null; error: { code: string; platform_code: number | null; message: string; details: string | null; retryable: boolean; retry_after?: string } | null; reply_to: { id: string; type: "text" | "image" | "video" | "audio" | "document" | "sticker" | "location" | "contacts" | "interactive" | "template" | "order" | "system" | "unsupported"; preview: string } | null; context: Record<string, unknown> | null; referral: Record<string, unknown> | null; media: { id: string; url: string | null; mime_type: string | null; filename: string | null; size_bytes: number | null; state: "pending" | "ready" | "failed" | "expired"; width: number | null; height: number | null; duration_ms: number | null; thumbnail_url: string | null } | null; reactions: Reaction[]; edited_at: string | null; revoked_at: string | null; preview: string; warnings: string[]; source: "contact" | "agent" | "api" | "chatbot" | "campaign" | "phone_app" | "platform_agent" | "other_app" | "system"; observed: boolean; ai_generated: boolean; ai_model: string | null; sent_by: { id: string; name: string | null } | null; client_ref: string | null; campaign_id: string | null; direct: boolean; platform_template_id: string | null; template_name: string | null; resend_of: string | null; repeat_of: string | null; pricing: { category: string | null; type: string | null; billable: boolean | null } | null; cost: MessageCost | null; created_at: string; raw?: Record<string, unknown> }
export type ThreadLocationItem = (ThreadItemFields) & ({ type: "location"; content: LocationContent })
export type ThreadOrderItem = (ThreadItemFields) & ({ type: "order"; content: OrderContent })
export type ThreadStickerItem = (ThreadItemFields) & ({ type: "sticker"; content: StickerContent })
export type ThreadSystemItem = (ThreadItemFields) & ({ type: "system"; content: SystemContent })
export type ThreadTemplateItem = (ThreadItemFields) & ({ type: "template"; content: TemplateContent })
export type ThreadTextItem = (ThreadItemFields) & ({ type: "text"; content: TextContent })
export type ThreadUnsupportedItem = (ThreadItemFields) & ({ type: "unsupported"; content: UnsupportedContent })
export type ThreadVideoItem = (ThreadItemFields) & ({ type: "video"; content: FileContent })
export type Ticket = { ticket: string; expires_in: number }
export type Timeline = { items: TimelineEntry[]; next_cursor: string | null }
export type TimelineEntry = { id: string; at: string; actor: { type: "user" | "api_key" | "bot" | "customer" | "system"; id: string | null; name: string | null }; kind: "assigned" | "unassigned" | "closed" | "reopened" | "snoozed" | "woken" | "priority" | "tag_added" | "tag_removed" | "transferred" | "bot_started" | "bot_ended" | "merged" | "campaign_sent"; details: Record<string, unknown> }
export type Tokens = { access_token: string; refresh_token: string | null; expires_in: number; me?: Me; start?: Start }
export type TotpSetup = { secret: string; otpauth_url: string }
export type Transfer = { id: string; contact_id: string; contact_name: string | null; phone_number: string | null; account_id: string; status: "active" | "resumed" | "expired"; source: "manual" | "api" | "flow" | "keyword" | "ai" | "fallback" | "chatbot_disabled" | "new_conversation"; priority: number; agent_id: string | null; agent_name: string | null; team_id: string | null; team_name: string | null; transferred_by: string | null; transferred_by_name: string | null; notes: string | null; transferred_at: string; picked_up_at: string | null; first_response_at: string | null; resumed_at: string | null; resumed_by: string | null; resumed_by_name: string | null; sla_response_deadline: string | null; sla_resolution_deadline: string | null; sla_breached: boolean; sla_breached_at: string | null; escalation_level: number; escalated_at: string | null; expires_at: string | null }
export type TransferAnswer = { transfer: Transfer; message: string }
export type TransferAssignment = { agent_id?: string | null; team_id?: string | null }
export type TransferChange = { notes?: string | null; priority?: number }
export type TransferDetails = { id: string; contact_id: string; contact_name: string | null; phone_number: string | null; account_id: string; status: "active" | "resumed" | "expired"; source: "manual" | "api" | "flow" | "keyword" | "ai" | "fallback" | "chatbot_disabled" | "new_conversation"; priority: number; agent_id: string | null; agent_name: string | null; team_id: string | null; team_name: string | null; transferred_by: string | null; transferred_by_name: string | null; notes: string | null; transferred_at: string; picked_up_at: string | null; first_response_at: string | null; resumed_at: string | null; resumed_by: string | null; resumed_by_name: string | null; sla_response_deadline: string | null; sla_resolution_deadline: string | null; sla_breached: boolean; sla_breached_at: string | null; escalation_level: number; escalated_at: string | null; expires_at: string | null; history: ({ at: string; kind: "created" | "picked_up" | "assigned" | "returned" | "resumed" | "expired" | "escalated" | "sla_breached" | "edited"; by: string | null; by_name: string | null; agent_id: string | null; agent_name: string | null; team_id: string | null; team_name: string | null; details: Record<string, unknown> })[] }
export type TransferList = { transfers: Transfer[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null; general_queue_count: number; team_queue_counts: Record<string, number> }
export type TriedRetention = { messages_days?: number | null; media_days?: number | null; notes_days?: number | null; contacts_inactive_days?: number | null; journal_days?: number; legal_hold?: boolean }
export type Unmerged = { contacts: Contact[] }
export type Unread = { message: string; unread_count: number }
export type UnreadCount = { unread_count: number }
export type UnsupportedContent = { platform_type: string; text: string | null; errors: Record<string, unknown>[]; raw?: Record<string, unknown> }
export type UnsupportedMessage = (MessageFields) & ({ type: "unsupported"; content: UnsupportedContent })
export type UpdateTeamMemberResult = { member: TeamMember }
export type UpdateTeamResult = { team: Team }
export type User = { id: string; email: string; full_name: string; role_id: string; role: { id: string; name: string; is_system: boolean }; is_active: boolean; is_confirmed: boolean; is_available: boolean; is_member: boolean; is_super_admin: boolean; membership_id: string; two_factor_enabled: boolean; last_login_at: string | null; created_at: string; updated_at: string }
export type UserChanges = { role_id?: string; is_active?: boolean; is_confirmed?: true; full_name?: string; email?: string; password?: string; is_super_admin?: boolean; account_disabled?: boolean }
export type UserPage = { items: User[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type VerificationCode = { code: string }
export type VerificationCodeRequest = { method?: "sms" | "voice"; language?: string }
export type VerificationCodeRequested = { requested: boolean }
export type VideoMessage = (MessageFields) & ({ type: "video"; content: FileContent })
export type View = { id: string; name: string; resource: "conversations" | "contacts" | "campaigns"; filter: Record<string, unknown>; is_shared: boolean; position: number; owner: { id: string; full_name: string }; created_at: string; updated_at: string }
export type ViewChanges = { name?: string; filter?: Record<string, unknown>; is_shared?: boolean; position?: number }
export type ViewCounts = Record<string, number | null>
export type ViewPage = { items: View[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type WebhookAttempt = { number: number; at: string; duration_ms: number; status_code: number | null; error_kind: "dns" | "connect" | "tls" | "protocol" | "timeout" | "refused_address" | "redirect" | "status" | "body" | null; request_headers: Record<string, string> | null; response_headers: Record<string, string> | null; response_excerpt: string | null }
export type WebhookDelivery = { id: string; message_id: string; endpoint_id: string; event: string; state: "pending" | "sending" | "held" | "delivered" | "exhausted" | "cancelled" | "missed"; contact_id: string | null; created_at: string; next_attempt_at: string | null; attempt_count: number; last_status_code: number | null; last_error: string | null; delivered_at: string | null; manual: boolean; replay_id: string | null }
export type WebhookDeliveryDetails = { id: string; message_id: string; endpoint_id: string; event: string; state: "pending" | "sending" | "held" | "delivered" | "exhausted" | "cancelled" | "missed"; contact_id: string | null; created_at: string; next_attempt_at: string | null; attempt_count: number; last_status_code: number | null; last_error: string | null; delivered_at: string | null; manual: boolean; replay_id: string | null; payload: Record<string, unknown>; attempts: WebhookAttempt[] }
export type WebhookDeliveryPage = { items: WebhookDelivery[]; total: number | null; page: number | null; limit: number; total_pages: number | null; next_cursor: string | null }
export type WebhookEndpoint = { id: string; name: string; url: string; events: string[]; account_ids: string[]; headers: Record<string, string>; is_active: boolean; state: "healthy" | "failing" | "down" | "disabled"; disabled_at: string | null; disabled_reason: "manual" | "failing_5_days" | "gone" | null; concurrency: number; rate_per_second: number | null; ordering: "none" | "per_contact"; include_phone_numbers: boolean; has_previous_secret: boolean; previous_expires_at: string | null; created_by: string | null; created_at: string; updated_at: string }
export type WebhookEndpointChanges = { name?: string; url?: string; events?: string[]; account_ids?: string[]; headers?: Record<string, unknown>; is_active?: boolean; concurrency?: number; rate_per_second?: number | null; ordering?: "none" | "per_contact"; include_phone_numbers?: boolean }
export type WebhookEndpointPage = { items: WebhookEndpoint[]; total: number | null; page: number | null; limit: number; total_pages: number | null }
export type WebhookEndpointStats = { delivered: number; failed: number; pending: number; oldest_pending_seconds: number | null; success_rate: number | null; p50_ms: number | null; p95_ms: number | null; last_success_at: string | null; last_failure_at: string | null; failing_since: string | null }
export type WebhookEndpointWithStats = { id: string; name: string; url: string; events: string[]; account_ids: string[]; headers: Record<string, string>; is_active: boolean; state: "healthy" | "failing" | "down" | "disabled"; disabled_at: string | null; disabled_reason: "manual" | "failing_5_days" | "gone" | null; concurrency: number; rate_per_second: number | null; ordering: "none" | "per_contact"; include_phone_numbers: boolean; has_previous_secret: boolean; previous_expires_at: string | null; created_by: string | null; created_at: string; updated_at: string; stats: WebhookEndpointStats }
export type WebhookEventType = { value: string; label: string; description: string; example: Record<string, unknown> }
export type WebhookEventTypePage = { items: WebhookEventType[] }
export type WebhookReplay = { id: string; state: "running" | "done" | "stopped"; total: number; delivered: number; failed: number; from: string; to: string }
export type WebhookSecretRevocation = { which?: "previous" }
export type WebhookSecretRotation = { overlap_hours?: number; secret?: string }
export type WebhookTestResult = { delivery_id: string; success: boolean; status_code: number | null; duration_ms: number; error: string | null; response_excerpt: string | null }
export type Widget = { id: string; title: string; report: "dashboard" | "messages" | "chatbot" | "agents" | "campaigns" | "costs"; metric: string; kind: "number" | "line" | "bar" | "table"; period: "today" | "week" | "month" | "quarter" | "year"; filters: Record<string, unknown>; compare: boolean; problem: "deleted" | null }

export interface Operations {
  "GET /api/accounts": { query: { page?: number; limit?: number; search?: string; status?: "pending" | "active" | "disconnected" | "suspended" }; body: undefined; data: AccountPage }
  "POST /api/accounts": { query: undefined; body: NewAccount; data: Account }
  "POST /api/accounts/exchange-token": { query: undefined; body: SignupCode; data: SignedUpAccount }
  "POST /api/accounts/new-number": { query: undefined; body: NewPhoneNumber; data: SignedUpAccount }
  "GET /api/accounts/{id}": { query: undefined; body: undefined; data: Account }
  "PUT /api/accounts/{id}": { query: undefined; body: AccountChanges; data: Account }
  "DELETE /api/accounts/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/accounts/{id}/business_profile": { query: undefined; body: undefined; data: BusinessProfile }
  "PUT /api/accounts/{id}/business_profile": { query: undefined; body: BusinessProfileChanges; data: BusinessProfile }
  "POST /api/accounts/{id}/business_profile/photo": { query: undefined; body: undefined; data: BusinessProfile }
  "GET /api/accounts/{id}/calling": { query: undefined; body: undefined; data: CallingSettings }
  "PUT /api/accounts/{id}/calling": { query: undefined; body: CallingChanges; data: CallingSettings }
  "GET /api/accounts/{id}/entry-points": { query: undefined; body: undefined; data: EntryPoints }
  "PUT /api/accounts/{id}/entry-points": { query: undefined; body: EntryPointChanges; data: EntryPoints }
  "GET /api/accounts/{id}/flow-key": { query: undefined; body: undefined; data: FlowKey }
  "POST /api/accounts/{id}/flow-key": { query: undefined; body: undefined; data: FlowKey }
  "GET /api/accounts/{id}/health": { query: undefined; body: undefined; data: AccountHealth }
  "POST /api/accounts/{id}/register": { query: undefined; body: AccountRegistration; data: AccountRegistered }
  "POST /api/accounts/{id}/request-code": { query: undefined; body: VerificationCodeRequest; data: VerificationCodeRequested }
  "POST /api/accounts/{id}/resume": { query: undefined; body: undefined; data: Account }
  "GET /api/accounts/{id}/routing": { query: undefined; body: undefined; data: AccountRouting }
  "POST /api/accounts/{id}/subscribe": { query: undefined; body: AccountSubscription; data: AccountSubscribed }
  "DELETE /api/accounts/{id}/subscribe": { query: undefined; body: undefined; data: AccountUnsubscribed }
  "POST /api/accounts/{id}/test": { query: undefined; body: undefined; data: AccountTest }
  "POST /api/accounts/{id}/verify-code": { query: undefined; body: VerificationCode; data: SignedUpAccount }
  "POST /api/accounts/{id}/verify-token": { query: undefined; body: undefined; data: AccountVerifyToken }
  "GET /api/accounts/{id}/webhook-config": { query: undefined; body: undefined; data: AccountWebhookConfig }
  "GET /api/admin/backups": { query: { page?: number; limit?: number }; body: undefined; data: BackupPage }
  "POST /api/admin/backups": { query: undefined; body: NewBackup; data: Backup }
  "GET /api/admin/backups/{id}": { query: undefined; body: undefined; data: Backup }
  "DELETE /api/admin/backups/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/admin/backups/{id}/download": { query: undefined; body: undefined; data: unknown }
  "GET /api/admin/info": { query: undefined; body: undefined; data: Installation }
  "POST /api/admin/organizations/import": { query: undefined; body: NewOrganizationImport; data: OrganizationImport }
  "GET /api/admin/organizations/imports": { query: { page?: number; limit?: number }; body: undefined; data: OrganizationImportPage }
  "GET /api/admin/organizations/imports/{id}": { query: undefined; body: undefined; data: OrganizationImport }
  "POST /api/admin/organizations/imports/{id}/cancel": { query: undefined; body: undefined; data: OrganizationImport }
  "POST /api/admin/organizations/imports/{id}/commit": { query: undefined; body: undefined; data: OrganizationImport }
  "GET /api/admin/organizations/moves": { query: { page?: number; limit?: number }; body: undefined; data: OrganizationMovePage }
  "POST /api/admin/organizations/{id}/move": { query: undefined; body: NewOrganizationMove; data: OrganizationMove }
  "GET /api/admin/organizations/{id}/move": { query: undefined; body: undefined; data: OrganizationMove }
  "DELETE /api/admin/organizations/{id}/move": { query: undefined; body: undefined; data: OrganizationMove }
  "GET /api/analytics/agents": { query: { page?: number; limit?: number; start_date?: string; end_date?: string; team_id?: string; sort?: "full_name" | "active_transfers" | "transfers_handled" | "avg_queue_seconds" | "avg_first_response_seconds" | "median_first_response_seconds" | "avg_resolution_seconds" | "sla_breached" | "messages_sent" | "available_seconds" | "away_seconds" | "breaks"; order?: "asc" | "desc"; format?: "json" | "csv" }; body: undefined; data: AgentList }
  "GET /api/analytics/agents/comparison": { query: { user_ids: string; start_date?: string; end_date?: string; format?: "json" | "csv" }; body: undefined; data: AgentComparison }
  "GET /api/analytics/agents/{user_id}": { query: { start_date?: string; end_date?: string; granularity?: "hour" | "day" | "week" | "month"; format?: "json" | "csv" }; body: undefined; data: AgentReport }
  "GET /api/analytics/board": { query: undefined; body: undefined; data: Board }
  "PUT /api/analytics/board": { query: undefined; body: BoardChanges; data: Board }
  "DELETE /api/analytics/board": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/analytics/board/organization": { query: undefined; body: undefined; data: Board }
  "PUT /api/analytics/board/organization": { query: undefined; body: BoardChanges; data: Board }
  "GET /api/analytics/campaigns": { query: { page?: number; limit?: number; start_date?: string; end_date?: string; account_id?: string; format?: "json" | "csv" }; body: undefined; data: CampaignReport }
  "GET /api/analytics/chatbot": { query: { start_date?: string; end_date?: string; account_id?: string; flow_id?: string; granularity?: "hour" | "day" | "week" | "month"; format?: "json" | "csv" }; body: undefined; data: ChatbotReport }
  "GET /api/analytics/costs": { query: { page?: number; limit?: number; start_date?: string; end_date?: string; account_id?: string; granularity?: "hour" | "day" | "week" | "month"; group_by?: "category" | "country" | "account" | "campaign" | "template" | "source" | "bot_flow" | "agent" | "conversation"; format?: "json" | "csv" }; body: undefined; data: CostReport }
  "GET /api/analytics/dashboard": { query: { account_id?: string; period?: "today" | "week" | "month" | "year"; format?: "json" | "csv" }; body: undefined; data: Dashboard }
  "GET /api/analytics/messages": { query: { start_date?: string; end_date?: string; account_id?: string; granularity?: "hour" | "day" | "week" | "month"; direction?: "incoming" | "outgoing"; source?: "contact" | "agent" | "api" | "chatbot" | "campaign" | "phone_app" | "platform_agent" | "other_app" | "system"; format?: "json" | "csv" }; body: undefined; data: MessageReport }
  "GET /api/analytics/scheduled-reports": { query: undefined; body: undefined; data: ScheduledReportList }
  "POST /api/analytics/scheduled-reports": { query: undefined; body: NewScheduledReport; data: ScheduledReport }
  "PUT /api/analytics/scheduled-reports/{id}": { query: undefined; body: ScheduledReportChanges; data: ScheduledReport }
  "DELETE /api/analytics/scheduled-reports/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/analytics/scheduled-reports/{id}/send": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/analytics/unsubscribe/{token}": { query: undefined; body: undefined; data: unknown }
  "POST /api/analytics/unsubscribe/{token}": { query: undefined; body: undefined; data: unknown }
  "GET /api/api-keys": { query: { page?: number; limit?: number; search?: string; is_active?: boolean }; body: undefined; data: ApiKeyPage }
  "POST /api/api-keys": { query: undefined; body: NewApiKey; data: NewApiKeyView }
  "GET /api/api-keys/{id}": { query: undefined; body: undefined; data: ApiKey }
  "PUT /api/api-keys/{id}": { query: undefined; body: ApiKeyChanges; data: ApiKey }
  "DELETE /api/api-keys/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/api-keys/{id}/take-over": { query: undefined; body: undefined; data: ApiKey }
  "GET /api/audit-logs": { query: { page?: number; limit?: number; cursor?: string; resource_type?: string; resource_id?: string; user_id?: string; api_key_id?: string; action?: string; from?: string; to?: string; search?: string }; body: undefined; data: AuditEntryPage }
  "GET /api/audit-logs/{id}": { query: undefined; body: undefined; data: AuditEntry }
  "GET /api/auth/branding": { query: undefined; body: undefined; data: SignInBranding }
  "POST /api/auth/invitations/preview": { query: undefined; body: InvitationToken; data: InvitationPreview }
  "POST /api/auth/login": { query: undefined; body: Credentials; data: Login }
  "POST /api/auth/logout": { query: undefined; body: LogoutRequest; data: Confirmation }
  "POST /api/auth/logout-all": { query: undefined; body: LogoutAllRequest; data: LoggedOut }
  "POST /api/auth/password/forgot": { query: undefined; body: ForgotRequest; data: Confirmation }
  "POST /api/auth/password/reset": { query: undefined; body: ResetRequest; data: Confirmation }
  "POST /api/auth/refresh": { query: undefined; body: RefreshRequest; data: Tokens }
  "POST /api/auth/register": { query: undefined; body: Registration; data: Registered }
  "POST /api/auth/switch-org": { query: undefined; body: SwitchRequest; data: Switched }
  "POST /api/auth/ws-ticket": { query: undefined; body: undefined; data: Ticket }
  "GET /api/calls": { query: { page?: number; limit?: number; cursor?: string; contact_id?: string; account_id?: string; direction?: "incoming" | "outgoing"; state?: "ringing" | "accepted" | "ended" | "missed" | "rejected" | "failed"; from?: string; to?: string }; body: undefined; data: CallPage }
  "GET /api/campaigns": { query: { page?: number; limit?: number; status?: "draft" | "scheduled" | "sending" | "paused" | "completed" | "cancelled"; account_id?: string; template_id?: string; search?: string; from?: string; to?: string }; body: undefined; data: CampaignPage }
  "POST /api/campaigns": { query: undefined; body: NewCampaign; data: Campaign }
  "GET /api/campaigns/{id}": { query: undefined; body: undefined; data: Campaign }
  "PUT /api/campaigns/{id}": { query: undefined; body: CampaignChanges; data: Campaign }
  "DELETE /api/campaigns/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/campaigns/{id}/cancel": { query: undefined; body: undefined; data: Campaign }
  "POST /api/campaigns/{id}/dry-run": { query: undefined; body: undefined; data: CampaignDryRun }
  "POST /api/campaigns/{id}/duplicate": { query: undefined; body: CampaignCopy; data: Campaign }
  "GET /api/campaigns/{id}/export": { query: { format?: "csv" | "xlsx"; status?: "pending" | "sending" | "sent" | "delivered" | "read" | "failed" | "unknown" | "skipped" | "cancelled" }; body: undefined; data: unknown }
  "GET /api/campaigns/{id}/funnel": { query: { interval?: "hour" | "day" }; body: undefined; data: CampaignFunnel }
  "POST /api/campaigns/{id}/media": { query: undefined; body: undefined; data: CampaignMedia }
  "GET /api/campaigns/{id}/media": { query: undefined; body: undefined; data: unknown }
  "POST /api/campaigns/{id}/pause": { query: undefined; body: undefined; data: Campaign }
  "GET /api/campaigns/{id}/progress": { query: undefined; body: undefined; data: CampaignProgress }
  "GET /api/campaigns/{id}/recipients": { query: { page?: number; limit?: number; cursor?: string; status?: "pending" | "sending" | "sent" | "delivered" | "read" | "failed" | "unknown" | "skipped" | "cancelled"; search?: string; error_code?: string }; body: undefined; data: CampaignRecipientPage }
  "POST /api/campaigns/{id}/recipients/import": { query: undefined; body: NewRecipients; data: ImportCampaignRecipientsResult }
  "DELETE /api/campaigns/{id}/recipients/{recipient_id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/campaigns/{id}/resume": { query: undefined; body: CampaignResume; data: Campaign }
  "POST /api/campaigns/{id}/retry-failed": { query: undefined; body: CampaignRetry; data: CampaignRetried }
  "POST /api/campaigns/{id}/schedule": { query: undefined; body: NewCampaignSchedule; data: Campaign }
  "POST /api/campaigns/{id}/start": { query: undefined; body: CampaignStart; data: Campaign }
  "GET /api/canned-responses": { query: { page?: number; limit?: number; category?: string; search?: string; active_only?: boolean }; body: undefined; data: CannedResponsePage }
  "POST /api/canned-responses": { query: undefined; body: NewCannedResponse; data: CannedResponse }
  "GET /api/canned-responses/{id}": { query: undefined; body: undefined; data: CannedResponse }
  "PUT /api/canned-responses/{id}": { query: undefined; body: CannedResponseChanges; data: CannedResponse }
  "DELETE /api/canned-responses/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/canned-responses/{id}/render": { query: undefined; body: RenderFor; data: RenderedResponse }
  "POST /api/canned-responses/{id}/use": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/cells/deliveries": { query: undefined; body: undefined; data: CellDeliveryAnswer }
  "POST /api/cells/flow-exchanges": { query: undefined; body: undefined; data: CellFlowAnswer }
  "POST /api/cells/moves": { query: undefined; body: undefined; data: CellMoveAnswer }
  "GET /api/chatbot/ai-contexts": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: AiContextItemPage }
  "POST /api/chatbot/ai-contexts": { query: undefined; body: NewAiContext; data: AiContext }
  "GET /api/chatbot/ai-contexts/{id}": { query: undefined; body: undefined; data: AiContext }
  "PUT /api/chatbot/ai-contexts/{id}": { query: undefined; body: AiContextChanges; data: AiContext }
  "DELETE /api/chatbot/ai-contexts/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/chatbot/ai-contexts/{id}/document": { query: undefined; body: undefined; data: AiContext }
  "POST /api/chatbot/ai-contexts/{id}/test": { query: undefined; body: AiContextQuestion; data: AiContextTest }
  "POST /api/chatbot/ai/test": { query: undefined; body: AiTest; data: AiTestResult }
  "GET /api/chatbot/ai/usage": { query: { start_date?: string; end_date?: string }; body: undefined; data: AiUsage }
  "GET /api/chatbot/flows": { query: { page?: number; limit?: number; search?: string; enabled?: boolean; account_id?: string }; body: undefined; data: BotFlowSummaryPage }
  "POST /api/chatbot/flows": { query: undefined; body: NewBotFlow; data: BotFlow }
  "POST /api/chatbot/flows/from-template": { query: undefined; body: BotFlowFromTemplate; data: BotFlow }
  "POST /api/chatbot/flows/validate": { query: undefined; body: GraphToValidate; data: GraphCheck }
  "GET /api/chatbot/flows/{id}": { query: undefined; body: undefined; data: BotFlow }
  "PUT /api/chatbot/flows/{id}": { query: undefined; body: BotFlowChanges; data: BotFlow }
  "DELETE /api/chatbot/flows/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/chatbot/flows/{id}/duplicate": { query: undefined; body: BotFlowCopy; data: BotFlow }
  "POST /api/chatbot/flows/{id}/publish": { query: undefined; body: undefined; data: BotFlow }
  "POST /api/chatbot/flows/{id}/start": { query: undefined; body: BotFlowStart; data: BotSession }
  "GET /api/chatbot/flows/{id}/versions": { query: { page?: number; limit?: number }; body: undefined; data: BotFlowVersionSummaryPage }
  "GET /api/chatbot/flows/{id}/versions/{version}": { query: undefined; body: undefined; data: BotFlowVersion }
  "POST /api/chatbot/flows/{id}/versions/{version}/restore": { query: undefined; body: undefined; data: BotFlow }
  "GET /api/chatbot/hours": { query: { at?: string; account_id?: string }; body: undefined; data: BusinessHours }
  "GET /api/chatbot/keywords": { query: { page?: number; limit?: number; search?: string; account_id?: string; enabled?: boolean; response_type?: "text" | "buttons" | "media" | "template" | "flow" | "transfer" }; body: undefined; data: KeywordRulePage }
  "POST /api/chatbot/keywords": { query: undefined; body: NewKeywordRule; data: KeywordRule }
  "POST /api/chatbot/keywords/test": { query: undefined; body: KeywordTest; data: KeywordTestResult }
  "GET /api/chatbot/keywords/{id}": { query: undefined; body: undefined; data: KeywordRule }
  "PUT /api/chatbot/keywords/{id}": { query: undefined; body: KeywordRuleChanges; data: KeywordRule }
  "DELETE /api/chatbot/keywords/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/chatbot/preview": { query: undefined; body: BotPreviewRequest; data: BotPreview }
  "GET /api/chatbot/sessions": { query: { page?: number; limit?: number; cursor?: string; status?: "active" | "completed" | "cancelled" | "transferred" | "timed_out" | "failed"; contact_id?: string; flow_id?: string; account_id?: string }; body: undefined; data: BotSessionItemPage }
  "GET /api/chatbot/sessions/{id}": { query: undefined; body: undefined; data: BotSessionDetails }
  "POST /api/chatbot/sessions/{id}/cancel": { query: undefined; body: undefined; data: BotSession }
  "GET /api/chatbot/settings": { query: { account_id?: string }; body: undefined; data: ChatbotSettings }
  "PUT /api/chatbot/settings": { query: { account_id?: string }; body: ChatbotSettingsChanges; data: ChatbotSettings }
  "DELETE /api/chatbot/settings": { query: { account_id: string }; body: undefined; data: Confirmation }
  "GET /api/chatbot/templates": { query: undefined; body: undefined; data: BotFlowTemplatePage }
  "GET /api/chatbot/transfers": { query: { page?: number; limit?: number; cursor?: string; status?: "active" | "resumed" | "expired"; team_id?: string; agent_id?: string; contact_id?: string; sla?: "breached" | "due" }; body: undefined; data: TransferList }
  "POST /api/chatbot/transfers": { query: undefined; body: NewTransfer; data: TransferAnswer }
  "POST /api/chatbot/transfers/pickup": { query: { team_id?: string }; body: undefined; data: PickedTransfer }
  "GET /api/chatbot/transfers/{id}": { query: undefined; body: undefined; data: TransferDetails }
  "PUT /api/chatbot/transfers/{id}": { query: undefined; body: TransferChange; data: TransferDetails }
  "PUT /api/chatbot/transfers/{id}/assign": { query: undefined; body: TransferAssignment; data: TransferAnswer }
  "POST /api/chatbot/transfers/{id}/pickup": { query: undefined; body: undefined; data: PickUpTransferResult }
  "PUT /api/chatbot/transfers/{id}/resume": { query: undefined; body: ResumeTransfer; data: TransferAnswer }
  "GET /api/colleagues": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: ColleagueList }
  "GET /api/colleagues/{id}": { query: undefined; body: undefined; data: Colleague }
  "GET /api/compliance/ai": { query: undefined; body: undefined; data: AiCompliance }
  "GET /api/consent-settings": { query: undefined; body: undefined; data: ConsentSettings }
  "PUT /api/consent-settings": { query: undefined; body: ConsentSettingsChanges; data: ConsentSettings }
  "GET /api/contact-attributes": { query: { page?: number; limit?: number }; body: undefined; data: ContactAttributePage }
  "POST /api/contact-attributes": { query: undefined; body: NewContactAttribute; data: ContactAttribute }
  "GET /api/contact-attributes/{id}": { query: undefined; body: undefined; data: ContactAttribute }
  "PUT /api/contact-attributes/{id}": { query: undefined; body: ContactAttributeChanges; data: ContactAttribute }
  "DELETE /api/contact-attributes/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/contacts": { query: { page?: number; limit?: number; cursor?: string; search?: string; account_id?: string; assigned_to?: string; tags?: string; tags_mode?: "any" | "all"; consent?: "unknown" | "opted_in" | "opted_out"; blocked?: boolean; has_phone?: boolean; segment_id?: string; created_from?: string; created_to?: string; sort?: "last_message_at" | "created_at" | "name"; order?: "asc" | "desc" }; body: undefined; data: ContactPage }
  "POST /api/contacts": { query: undefined; body: NewContact; data: Contact }
  "POST /api/contacts/bulk": { query: undefined; body: BulkRequest; data: Job }
  "GET /api/contacts/duplicates": { query: { page?: number; limit?: number }; body: undefined; data: DuplicatePage }
  "POST /api/contacts/merges/{id}/undo": { query: undefined; body: undefined; data: Unmerged }
  "GET /api/contacts/{id}": { query: undefined; body: undefined; data: ContactDetails }
  "PUT /api/contacts/{id}": { query: undefined; body: ContactChanges; data: Contact }
  "DELETE /api/contacts/{id}": { query: { purge?: boolean }; body: undefined; data: Confirmation }
  "PUT /api/contacts/{id}/assign": { query: undefined; body: Assignment; data: AssignmentView }
  "POST /api/contacts/{id}/block": { query: undefined; body: undefined; data: BlockedContact }
  "DELETE /api/contacts/{id}/block": { query: undefined; body: undefined; data: BlockedContact }
  "GET /api/contacts/{id}/call-permission": { query: { account_id?: string }; body: undefined; data: CallPermission }
  "POST /api/contacts/{id}/call-permission": { query: undefined; body: NewCallPermissionRequest; data: Message }
  "GET /api/contacts/{id}/consents": { query: { page?: number; limit?: number }; body: undefined; data: ConsentPage }
  "POST /api/contacts/{id}/consents": { query: undefined; body: NewConsent; data: Consent }
  "POST /api/contacts/{id}/erase": { query: undefined; body: EraseRequest; data: PrivacyRequest }
  "POST /api/contacts/{id}/mark-read": { query: undefined; body: ReadContact; data: UnreadCount }
  "POST /api/contacts/{id}/merge": { query: undefined; body: MergeRequest; data: Merged }
  "GET /api/contacts/{id}/messages": { query: { page?: number; limit?: number; cursor?: string; before?: string; after?: string; around?: string; direction?: "incoming" | "outgoing"; type?: string; account_id?: string }; body: undefined; data: MessageList }
  "POST /api/contacts/{id}/messages": { query: undefined; body: NewMessage; data: Message }
  "POST /api/contacts/{id}/messages/{message_id}/reaction": { query: undefined; body: NewReaction; data: Reactions }
  "GET /api/contacts/{id}/notes": { query: { page?: number; limit?: number; before?: string }; body: undefined; data: NoteList }
  "POST /api/contacts/{id}/notes": { query: undefined; body: NewNote; data: Note }
  "PUT /api/contacts/{id}/notes/{note_id}": { query: undefined; body: NoteChanges; data: Note }
  "DELETE /api/contacts/{id}/notes/{note_id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/contacts/{id}/privacy-export": { query: undefined; body: PrivacyExportRequest; data: PrivacyRequest }
  "GET /api/contacts/{id}/session-data": { query: undefined; body: undefined; data: SessionData }
  "PUT /api/contacts/{id}/tags": { query: undefined; body: NewTags; data: TagsOfContact }
  "GET /api/conversations": { query: { page?: number; limit?: number; cursor?: string; state?: string; account_id?: string; contact_id?: string; assigned_to?: string; team_id?: string; tags?: string; unread?: boolean; window?: "open" | "closed" | "closing"; search?: string; sort?: "last_message_at" | "oldest_unanswered" }; body: undefined; data: ConversationPage }
  "POST /api/conversations": { query: undefined; body: NewConversation; data: Conversation }
  "POST /api/conversations/bulk": { query: undefined; body: ConversationBulk; data: Job }
  "GET /api/conversations/counts": { query: { state?: string; account_id?: string; contact_id?: string; assigned_to?: string; team_id?: string; tags?: string; unread?: boolean; window?: "open" | "closed" | "closing"; search?: string }; body: undefined; data: ConversationCounts }
  "GET /api/conversations/presence": { query: undefined; body: undefined; data: PresencePage }
  "PUT /api/conversations/{id}": { query: undefined; body: ConversationChange; data: Conversation }
  "GET /api/conversations/{id}": { query: { include?: string }; body: undefined; data: OpenedConversation }
  "PUT /api/conversations/{id}/assign": { query: undefined; body: Assignment; data: Conversation }
  "POST /api/conversations/{id}/claim": { query: undefined; body: undefined; data: Conversation }
  "GET /api/conversations/{id}/messages": { query: { page?: number; limit?: number; cursor?: string; before?: string; after?: string; around?: string; direction?: "incoming" | "outgoing"; type?: string }; body: undefined; data: MessageList }
  "POST /api/conversations/{id}/messages": { query: undefined; body: NewMessage; data: Message }
  "PUT /api/conversations/{id}/owner": { query: undefined; body: NewOwner; data: Conversation }
  "POST /api/conversations/{id}/read": { query: undefined; body: ReadUpTo; data: UnreadCount }
  "POST /api/conversations/{id}/release": { query: undefined; body: undefined; data: Conversation }
  "POST /api/conversations/{id}/snooze": { query: undefined; body: Snooze; data: Conversation }
  "POST /api/conversations/{id}/thread": { query: undefined; body: ThreadControl; data: Conversation }
  "GET /api/conversations/{id}/timeline": { query: { limit?: number; cursor?: string }; body: undefined; data: Timeline }
  "GET /api/conversations/{id}/transcript": { query: { format?: "html" | "csv" | "json"; from?: string; to?: string; notes?: boolean }; body: undefined; data: unknown }
  "POST /api/conversations/{id}/typing": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/conversations/{id}/unread": { query: undefined; body: undefined; data: UnreadCount }
  "GET /api/custom-actions": { query: { page?: number; limit?: number; search?: string; active_only?: boolean }; body: undefined; data: CustomActionPage }
  "POST /api/custom-actions": { query: undefined; body: NewCustomAction; data: CustomAction }
  "GET /api/custom-actions/redirect/{token}": { query: undefined; body: undefined; data: undefined }
  "GET /api/custom-actions/{id}": { query: undefined; body: undefined; data: CustomAction }
  "PUT /api/custom-actions/{id}": { query: undefined; body: CustomActionChanges; data: CustomAction }
  "DELETE /api/custom-actions/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/custom-actions/{id}/execute": { query: undefined; body: CustomActionTarget; data: CustomActionResult }
  "GET /api/embedded-signup/config": { query: undefined; body: undefined; data: EmbeddedSignupConfig }
  "POST /api/export": { query: undefined; body: NewExport; data: Export }
  "GET /api/export/{table}/config": { query: undefined; body: undefined; data: ExportConfig }
  "GET /api/exports": { query: { page?: number; limit?: number }; body: undefined; data: ExportPage }
  "GET /api/exports/{id}": { query: undefined; body: undefined; data: Export }
  "GET /api/exports/{id}/download": { query: undefined; body: undefined; data: unknown }
  "GET /api/flows": { query: { page?: number; limit?: number; status?: "DRAFT" | "PUBLISHED" | "DEPRECATED" | "BLOCKED" | "THROTTLED"; account_id?: string; search?: string }; body: undefined; data: FlowSummaryPage }
  "POST /api/flows": { query: undefined; body: NewFlow; data: ChangedFlow }
  "POST /api/flows/endpoint/{account_id}": { query: undefined; body: EncryptedFlowRequest; data: unknown }
  "POST /api/flows/sync": { query: undefined; body: FlowSync; data: FlowSyncResult }
  "GET /api/flows/{id}": { query: undefined; body: undefined; data: Flow }
  "PUT /api/flows/{id}": { query: undefined; body: FlowChanges; data: ChangedFlow }
  "DELETE /api/flows/{id}": { query: undefined; body: undefined; data: Confirmation }
  "POST /api/flows/{id}/deprecate": { query: undefined; body: undefined; data: Flow }
  "POST /api/flows/{id}/duplicate": { query: undefined; body: FlowCopy; data: ChangedFlow }
  "GET /api/flows/{id}/exchanges": { query: { page?: number; limit?: number }; body: undefined; data: FlowExchangePage }
  "GET /api/flows/{id}/preview": { query: { refresh?: boolean }; body: undefined; data: FlowPreview }
  "POST /api/flows/{id}/publish": { query: undefined; body: undefined; data: Flow }
  "GET /api/flows/{id}/responses": { query: { page?: number; limit?: number; cursor?: string; contact_id?: string; from?: string; to?: string; search?: string; format?: "json" | "csv" }; body: undefined; data: FlowResponsePage }
  "POST /api/flows/{id}/save-to-meta": { query: undefined; body: undefined; data: SavedFlow }
  "POST /api/flows/{id}/validate": { query: undefined; body: FlowToValidate; data: FlowVerdict }
  "POST /api/import": { query: undefined; body: undefined; data: Import }
  "GET /api/import/{table}/config": { query: undefined; body: undefined; data: ImportConfig }
  "GET /api/imports": { query: { page?: number; limit?: number }; body: undefined; data: ImportPage }
  "GET /api/imports/{id}": { query: undefined; body: undefined; data: Import }
  "POST /api/imports/{id}/cancel": { query: undefined; body: undefined; data: Import }
  "POST /api/imports/{id}/commit": { query: undefined; body: undefined; data: Import }
  "GET /api/imports/{id}/rows": { query: { page?: number; limit?: number; cursor?: string; outcome?: "created" | "updated" | "skipped" | "failed"; format?: "json" | "csv" }; body: undefined; data: ImportRowPage }
  "POST /api/imports/{id}/undo": { query: undefined; body: undefined; data: Import }
  "GET /api/inbound/events": { query: { page?: number; limit?: number; cursor?: string; state?: "pending" | "processing" | "done" | "partial" | "failed" | "unrouted" | "ignored"; field?: string; account_id?: string; from?: string; to?: string }; body: undefined; data: InboundEventPage }
  "GET /api/inbound/events/{id}": { query: { include?: "raw" }; body: undefined; data: InboundEventDetails }
  "POST /api/inbound/events/{id}/replay": { query: undefined; body: undefined; data: InboundEvent }
  "POST /api/inbound/replay": { query: undefined; body: ReplayRequest; data: Queued }
  "GET /api/inbound/stats": { query: { from?: string; to?: string }; body: undefined; data: InboundStats }
  "GET /api/jobs": { query: { page?: number; limit?: number; cursor?: string; state?: "available" | "executing" | "retryable" | "scheduled" | "completed" | "cancelled" | "discarded"; kind?: string; from?: string; to?: string; all?: boolean }; body: undefined; data: JobPage }
  "POST /api/jobs/retry": { query: undefined; body: RetryRequest; data: RetryCount }
  "GET /api/jobs/schedule": { query: undefined; body: undefined; data: ScheduleList }
  "GET /api/jobs/{id}": { query: undefined; body: undefined; data: JobDetails }
  "POST /api/jobs/{id}/discard": { query: undefined; body: DiscardRequest; data: Job }
  "POST /api/jobs/{id}/retry": { query: undefined; body: undefined; data: Job }
  "GET /api/logos/{name}": { query: undefined; body: undefined; data: unknown }
  "GET /api/me": { query: undefined; body: undefined; data: Me }
  "PUT /api/me": { query: undefined; body: MeChanges; data: Me }
  "POST /api/me/2fa/backup-codes": { query: undefined; body: FullProof; data: BackupCodes }
  "POST /api/me/2fa/disable": { query: undefined; body: FullProof; data: Confirmation }
  "POST /api/me/2fa/enable": { query: undefined; body: CodeProof; data: BackupCodes }
  "POST /api/me/2fa/setup": { query: undefined; body: PasswordProof; data: TotpSetup }
  "PUT /api/me/availability": { query: undefined; body: Availability; data: AvailabilityView }
  "POST /api/me/invitations/accept": { query: undefined; body: InvitationToken; data: Joined }
  "GET /api/me/notifications": { query: { page?: number; limit?: number; unread?: boolean }; body: undefined; data: NotificationPage }
  "POST /api/me/notifications/read": { query: undefined; body: ReadNotifications; data: Unread }
  "GET /api/me/organizations": { query: { page?: number; limit?: number }; body: undefined; data: OwnOrganizations }
  "DELETE /api/me/organizations/{organization_id}": { query: undefined; body: undefined; data: Confirmation }
  "PUT /api/me/password": { query: undefined; body: PasswordChange; data: Confirmation }
  "GET /api/me/report": { query: { start_date?: string; end_date?: string }; body: undefined; data: AgentReport }
  "GET /api/me/sessions": { query: { page?: number; limit?: number }; body: undefined; data: SessionPage }
  "DELETE /api/me/sessions/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/me/settings": { query: undefined; body: undefined; data: GetMySettingsResult }
  "PUT /api/me/settings": { query: undefined; body: OwnSettingsChanges; data: OwnSettingsSaved }
  "POST /api/media": { query: undefined; body: undefined; data: Media }
  "GET /api/media/signed/{token}": { query: { download?: "1" | "0" }; body: undefined; data: unknown }
  "DELETE /api/media/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/media/{id}": { query: { download?: "1" | "0" }; body: undefined; data: unknown }
  "GET /api/media/{id}/info": { query: undefined; body: undefined; data: MediaInfo }
  "POST /api/media/{id}/link": { query: undefined; body: NewLink; data: CreateMediaLinkResult }
  "POST /api/media/{id}/retry": { query: undefined; body: undefined; data: MediaInfo }
  "GET /api/media/{id}/thumbnail": { query: undefined; body: undefined; data: unknown }
  "POST /api/messages": { query: undefined; body: NewDirectMessage; data: Message }
  "POST /api/messages/media": { query: undefined; body: MediaMessageRequest; data: Message }
  "POST /api/messages/preview": { query: undefined; body: NewDirectMessage; data: MessagePreview }
  "GET /api/messages/search": { query: { q: string; contact_id?: string; account_id?: string; direction?: "incoming" | "outgoing"; type?: string; from?: string; to?: string; limit?: number; cursor?: string }; body: undefined; data: FoundMessages }
  "POST /api/messages/template": { query: undefined; body: TemplateMessageRequest; data: SentTemplateMessage }
  "GET /api/messages/{id}": { query: { include?: "raw" }; body: undefined; data: Message }
  "POST /api/messages/{id}/cancel": { query: undefined; body: undefined; data: Message }
  "GET /api/messages/{id}/events": { query: undefined; body: undefined; data: MessageFactPage }
  "PUT /api/messages/{id}/read": { query: undefined; body: undefined; data: UnreadCount }
  "POST /api/messages/{id}/resend": { query: undefined; body: Resending; data: Message }
  "GET /api/orders": { query: { page?: number; limit?: number; cursor?: string; contact_id?: string; account_id?: string; state?: "new" | "confirmed" | "shipped" | "completed" | "cancelled"; from?: string; to?: string }; body: undefined; data: OrderPage }
  "GET /api/orders/{id}": { query: undefined; body: undefined; data: Order }
  "PUT /api/orders/{id}": { query: undefined; body: OrderChange; data: Order }
  "GET /api/organizations": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: ListOrganizationsResult }
  "POST /api/organizations": { query: undefined; body: NewOrganization; data: Organization }
  "GET /api/organizations/branding": { query: undefined; body: undefined; data: Branding }
  "PUT /api/organizations/branding": { query: undefined; body: BrandingChange; data: Branding }
  "GET /api/organizations/current": { query: undefined; body: undefined; data: Organization }
  "GET /api/organizations/invitations": { query: { page?: number; limit?: number; status?: "pending" | "accepted" | "revoked" | "expired"; search?: string }; body: undefined; data: InvitationPage }
  "POST /api/organizations/invitations": { query: undefined; body: NewInvitation; data: InvitationLink }
  "DELETE /api/organizations/invitations/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/organizations/members": { query: { page?: number; limit?: number; search?: string; role_id?: string; is_active?: boolean }; body: undefined; data: Members }
  "POST /api/organizations/members": { query: undefined; body: NewMember; data: Confirmation }
  "PUT /api/organizations/members/{member_id}": { query: undefined; body: MemberRole; data: Confirmation }
  "DELETE /api/organizations/members/{member_id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/organizations/settings": { query: undefined; body: undefined; data: Settings }
  "PUT /api/organizations/settings": { query: undefined; body: SettingsChanges; data: SettingsChanged }
  "DELETE /api/organizations/{id}": { query: undefined; body: OrganizationDeletion; data: OrganizationDeleted }
  "POST /api/organizations/{id}/archive": { query: undefined; body: NewArchive; data: OrganizationArchive }
  "GET /api/organizations/{id}/archives": { query: { page?: number; limit?: number }; body: undefined; data: OrganizationArchivePage }
  "GET /api/organizations/{id}/archives/{archive_id}": { query: undefined; body: undefined; data: OrganizationArchive }
  "GET /api/organizations/{id}/archives/{archive_id}/download": { query: undefined; body: undefined; data: unknown }
  "POST /api/organizations/{id}/restore": { query: undefined; body: undefined; data: Organization }
  "GET /api/outbox": { query: { page?: number; limit?: number; cursor?: string; account_id?: string; stage?: "queued" | "held" | "uploading" | "retry_wait" | "sending" | "ambiguous"; contact_id?: string; older_than?: string }; body: undefined; data: OutboxItemPage }
  "POST /api/outbox/cancel": { query: undefined; body: CancelRequest; data: OutboxCancelled }
  "POST /api/outbox/pause": { query: undefined; body: PauseRequest; data: OutboxPause }
  "POST /api/outbox/resume": { query: undefined; body: PauseRequest; data: OutboxPause }
  "GET /api/outbox/stats": { query: undefined; body: undefined; data: GetOutboxStatsResult }
  "GET /api/permissions": { query: undefined; body: undefined; data: ListPermissionsResult }
  "GET /api/prices": { query: { page?: number; limit?: number; country?: string; category?: string; currency?: string; at?: string }; body: undefined; data: PricePage }
  "POST /api/prices/import": { query: undefined; body: NewPrices; data: PricesImported }
  "GET /api/privacy/requests": { query: { page?: number; limit?: number; kind?: "erase" | "export"; state?: "running" | "completed" | "failed" | "expired" }; body: undefined; data: PrivacyRequestPage }
  "GET /api/privacy/requests/{id}": { query: undefined; body: undefined; data: PrivacyRequest }
  "GET /api/privacy/requests/{id}/download": { query: undefined; body: undefined; data: unknown }
  "GET /api/push/key": { query: undefined; body: undefined; data: PushKey }
  "POST /api/push/subscriptions": { query: undefined; body: NewPushSubscription; data: PushSubscription }
  "DELETE /api/push/subscriptions": { query: undefined; body: EndedPushSubscription; data: Confirmation }
  "GET /api/retention": { query: undefined; body: undefined; data: Retention }
  "PUT /api/retention": { query: undefined; body: RetentionChanges; data: Retention }
  "POST /api/retention/preview": { query: undefined; body: TriedRetention; data: RetentionPreview }
  "GET /api/roles": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: RoleSummaryPage }
  "POST /api/roles": { query: undefined; body: NewRole; data: Role }
  "GET /api/roles/{id}": { query: undefined; body: undefined; data: Role }
  "PUT /api/roles/{id}": { query: undefined; body: RoleChanges; data: Role }
  "DELETE /api/roles/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/scheduled-messages": { query: { page?: number; limit?: number; contact_id?: string; state?: "scheduled" | "sent" | "failed" | "cancelled"; mine?: boolean; order?: "asc" | "desc" }; body: undefined; data: ScheduledMessagePage }
  "POST /api/scheduled-messages": { query: undefined; body: NewScheduledMessage; data: ScheduledMessage }
  "GET /api/scheduled-messages/{id}": { query: undefined; body: undefined; data: ScheduledMessage }
  "PUT /api/scheduled-messages/{id}": { query: undefined; body: ScheduledMessageChanges; data: ScheduledMessage }
  "DELETE /api/scheduled-messages/{id}": { query: undefined; body: undefined; data: ScheduledMessage }
  "POST /api/scheduled-messages/{id}/send-now": { query: undefined; body: undefined; data: ScheduledMessage }
  "GET /api/segments": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: SegmentPage }
  "POST /api/segments": { query: undefined; body: NewSegment; data: Segment }
  "POST /api/segments/preview": { query: undefined; body: SegmentProbe; data: SegmentPreview }
  "GET /api/segments/{id}": { query: undefined; body: undefined; data: Segment }
  "PUT /api/segments/{id}": { query: undefined; body: SegmentChanges; data: Segment }
  "DELETE /api/segments/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/segments/{id}/contacts": { query: { page?: number; limit?: number; cursor?: string; search?: string; account_id?: string; assigned_to?: string; tags?: string; tags_mode?: "any" | "all"; consent?: "unknown" | "opted_in" | "opted_out"; blocked?: boolean; has_phone?: boolean; segment_id?: string; created_from?: string; created_to?: string; sort?: "last_message_at" | "created_at" | "name"; order?: "asc" | "desc" }; body: undefined; data: ContactPage }
  "GET /api/setup": { query: undefined; body: undefined; data: Setup }
  "PUT /api/setup": { query: undefined; body: SetupChange; data: Setup }
  "GET /api/tags": { query: { page?: number; limit?: number; search?: string }; body: undefined; data: TagPage }
  "POST /api/tags": { query: undefined; body: NewTag; data: Tag }
  "GET /api/tags/{id}": { query: undefined; body: undefined; data: Tag }
  "PUT /api/tags/{id}": { query: undefined; body: TagChanges; data: Tag }
  "DELETE /api/tags/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/teams": { query: { page?: number; limit?: number; search?: string; for?: "hand_over" }; body: undefined; data: TeamPage }
  "POST /api/teams": { query: undefined; body: NewTeam; data: CreateTeamResult }
  "GET /api/teams/{id}": { query: undefined; body: undefined; data: GetTeamResult }
  "PUT /api/teams/{id}": { query: undefined; body: TeamChanges; data: UpdateTeamResult }
  "DELETE /api/teams/{id}": { query: { force?: boolean }; body: undefined; data: Confirmation }
  "GET /api/teams/{id}/members": { query: undefined; body: undefined; data: ListTeamMembersResult }
  "POST /api/teams/{id}/members": { query: undefined; body: NewTeamMember; data: AddTeamMemberResult }
  "PUT /api/teams/{id}/members/{user_id}": { query: undefined; body: TeamMemberChanges; data: UpdateTeamMemberResult }
  "DELETE /api/teams/{id}/members/{user_id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/templates": { query: { page?: number; limit?: number; status?: string; category?: string; language?: string; account_id?: string; quality?: string; search?: string; sendable?: boolean }; body: undefined; data: TemplatePage }
  "POST /api/templates": { query: undefined; body: NewTemplate; data: Template }
  "POST /api/templates/sync": { query: undefined; body: TemplateSyncRequest; data: TemplateSync }
  "POST /api/templates/upload-media": { query: undefined; body: undefined; data: TemplateSample }
  "GET /api/templates/{id}": { query: undefined; body: undefined; data: Template }
  "PUT /api/templates/{id}": { query: undefined; body: TemplateChanges; data: Template }
  "DELETE /api/templates/{id}": { query: { all_languages?: boolean; local_only?: boolean }; body: undefined; data: Confirmation }
  "POST /api/templates/{id}/archive": { query: undefined; body: undefined; data: Template }
  "POST /api/templates/{id}/duplicate": { query: undefined; body: TemplateCopy; data: Template }
  "POST /api/templates/{id}/preview": { query: undefined; body: TemplatePreviewRequest; data: TemplatePreview }
  "POST /api/templates/{id}/publish": { query: undefined; body: undefined; data: Template }
  "POST /api/templates/{id}/restore": { query: undefined; body: undefined; data: Template }
  "GET /api/templates/{id}/stats": { query: { from?: string; to?: string }; body: undefined; data: TemplateStats }
  "POST /api/templates/{id}/test": { query: undefined; body: TemplateTest; data: Message }
  "GET /api/users": { query: { page?: number; limit?: number; search?: string; role_id?: string; is_active?: boolean; is_available?: boolean }; body: undefined; data: UserPage }
  "POST /api/users": { query: undefined; body: NewUser; data: User }
  "GET /api/users/{id}": { query: undefined; body: undefined; data: User }
  "PUT /api/users/{id}": { query: undefined; body: UserChanges; data: User }
  "DELETE /api/users/{id}": { query: undefined; body: undefined; data: Removed }
  "POST /api/users/{id}/2fa/reset": { query: undefined; body: undefined; data: Confirmation }
  "PUT /api/users/{id}/availability": { query: undefined; body: Availability; data: AvailabilityView }
  "POST /api/users/{id}/password-reset": { query: undefined; body: undefined; data: ResetLink }
  "DELETE /api/users/{id}/sessions": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/views": { query: { page?: number; limit?: number; resource?: "conversations" | "contacts" | "campaigns" }; body: undefined; data: ViewPage }
  "POST /api/views": { query: undefined; body: NewView; data: View }
  "GET /api/views/counts": { query: { ids: string }; body: undefined; data: ViewCounts }
  "PUT /api/views/{id}": { query: undefined; body: ViewChanges; data: View }
  "DELETE /api/views/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/webhook": { query: { "hub.mode": string; "hub.verify_token": string; "hub.challenge": string }; body: undefined; data: unknown }
  "POST /api/webhook": { query: undefined; body: ReceiveWebhookRequest; data: Acknowledgement }
  "GET /api/webhooks": { query: { page?: number; limit?: number; search?: string; state?: "healthy" | "failing" | "down" | "disabled" }; body: undefined; data: WebhookEndpointPage }
  "POST /api/webhooks": { query: undefined; body: NewWebhookEndpoint; data: CreatedWebhookEndpoint }
  "GET /api/webhooks/deliveries/{delivery_id}": { query: undefined; body: undefined; data: WebhookDeliveryDetails }
  "POST /api/webhooks/deliveries/{delivery_id}/resend": { query: undefined; body: undefined; data: WebhookDelivery }
  "GET /api/webhooks/events": { query: undefined; body: undefined; data: WebhookEventTypePage }
  "GET /api/webhooks/{id}": { query: undefined; body: undefined; data: WebhookEndpointWithStats }
  "PUT /api/webhooks/{id}": { query: undefined; body: WebhookEndpointChanges; data: WebhookEndpoint }
  "DELETE /api/webhooks/{id}": { query: undefined; body: undefined; data: Confirmation }
  "GET /api/webhooks/{id}/deliveries": { query: { page?: number; limit?: number; cursor?: string; state?: "pending" | "sending" | "held" | "delivered" | "exhausted" | "cancelled" | "missed"; event?: "message.received" | "message.sent" | "message.status" | "message.failed" | "message.media_ready" | "message.updated" | "message.reaction" | "message.echo" | "conversation.updated" | "conversation.handover" | "call.received" | "call.ended" | "call.missed" | "call.permission_changed" | "order.created" | "order.updated" | "flow.submitted" | "contact.created" | "contact.updated" | "contact.deleted" | "contact.bulk" | "contact.consent_changed" | "transfer.created" | "transfer.assigned" | "transfer.returned" | "transfer.resumed" | "transfer.expired" | "transfer.sla_breached" | "transfer.escalated" | "chatbot.session_ended" | "campaign.started" | "campaign.paused" | "campaign.resumed" | "campaign.completed" | "campaign.cancelled" | "template.updated" | "flow.updated" | "account.updated" | "webhook.test"; from?: string; to?: string; status_code?: number; contact_id?: string }; body: undefined; data: WebhookDeliveryPage }
  "POST /api/webhooks/{id}/disable": { query: undefined; body: undefined; data: WebhookEndpoint }
  "POST /api/webhooks/{id}/enable": { query: undefined; body: undefined; data: WebhookEndpoint }
  "POST /api/webhooks/{id}/replay": { query: undefined; body: NewWebhookReplay; data: StartedWebhookReplay }
  "GET /api/webhooks/{id}/replays/{replay_id}": { query: undefined; body: undefined; data: WebhookReplay }
  "DELETE /api/webhooks/{id}/replays/{replay_id}": { query: undefined; body: undefined; data: WebhookReplay }
  "POST /api/webhooks/{id}/revoke-secret": { query: undefined; body: WebhookSecretRevocation; data: Confirmation }
  "POST /api/webhooks/{id}/rotate-secret": { query: undefined; body: WebhookSecretRotation; data: RotatedWebhookSecret }
  "POST /api/webhooks/{id}/test": { query: undefined; body: NewWebhookTest; data: WebhookTestResult }
}
