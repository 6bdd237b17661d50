/**
 * All errors of the API: status, code, and when each occurs. Routes name their own (`refuses` of
 * the guard); the document adds those that follow from how a route is declared. Codes that are not
 * listed here must not reach a client.
 */
export const ERROR_CODES = {
  // Malformed requests.
  '400 bad_host': 'The `Host` header is missing or malformed.',
  '400 invalid_input': 'One or more fields are invalid. `errors` lists each field and the reason.',
  '400 malformed_json': 'The request body is not valid JSON.',
  '400 malformed_multipart': 'The request body is not a multipart form, or the form has no file.',
  '400 already_passed_on': 'The delivery was already passed on by another server.',
  '400 content_encoding': 'The request body is compressed. Send it uncompressed.',
  '400 upgrade_required': 'The request is not a WebSocket upgrade.',
  '408 body_too_slow':
    'The body was not received in time: 30 seconds, plus time for files at 1 Mbit/s.',
  '413 body_too_large': 'The body or file exceeds the limit of this endpoint.',
  '415 unsupported_media_type': 'This endpoint does not accept the type of the body or file.',

  // Credentials and permissions.
  '401 unauthorized': 'The request has no credentials.',
  '401 invalid_token': 'The token is malformed, has a wrong signature, or is of another kind.',
  '401 token_expired': 'The token has expired.',
  '401 token_reused': 'The refresh token was already used. The whole session was ended.',
  '401 no_session': 'The request has no refresh token, neither in the body nor as a cookie.',
  '401 session_ended': 'The session has ended. Sign in again.',
  '401 membership_ended':
    'The user is no longer an active member of the organization in the token.',
  '401 account_disabled': 'The user is disabled, or suspended in every organization.',
  '401 no_membership': 'The user belongs to no organization.',
  '401 invalid_api_key': 'The API key is unknown, malformed, expired or disabled.',
  '401 key_owner_inactive': 'The owner of the API key is no longer active in the organization.',
  '401 invalid_credentials': 'The email or password is incorrect.',
  '401 two_factor_required': 'Two-factor authentication is enabled: also send `code`.',
  '401 two_factor_invalid': 'The two-factor code is wrong or was already used.',
  '401 invalid_link':
    'The link is malformed or has expired, or the session or API key that created it has ' +
    'ended.',
  '401 signature_missing': 'The header with the signature is missing or malformed.',
  '401 signature_expired':
    'The request of another server is too old, or the clocks differ by more than 5 minutes.',
  '401 signature_mismatch': 'The signature does not match the body.',
  '403 permission_denied': 'The caller lacks a permission. The message names it.',
  '403 organization_deleting':
    'The organization is being deleted. It can be restored until the time in the message.',
  '403 super_admin_required': 'This requires a super admin.',
  '403 session_required': 'This requires a signed-in user. API keys cannot use it.',
  '403 fresh_login_required': 'This requires a sign-in within the last 5 minutes.',
  '403 organization_mismatch':
    '`X-Organization-ID` differs from the organization of the credentials, and the caller ' +
    'is not a super admin.',
  '403 origin_not_allowed': 'WebSocket connections from this origin are not allowed.',
  '403 metrics_elsewhere': 'Metrics are only served at a separate address.',
  '403 verification_failed': 'The verify token is wrong, or a parameter is missing.',
  '429 rate_limited':
    'Too many requests by the caller, or by all API keys of the organization together.',
  '429 too_many_failures': 'Too many failed attempts for this account or from this address.',

  // Of the server.
  '500 internal_error':
    'The server failed unexpectedly. Quote the request ID in the message when you report it.',
  '503 storage_unavailable': 'The server cannot store data at the moment.',
  '503 organization_moving':
    'The organization is being imported or moved to another server. Try again later.',
  '503 unavailable': 'The server is overloaded or shutting down.',
  '503 took_too_long':
    'The request exceeded its time limit (50 seconds for reads, 6 minutes for changes). A change may still take effect.',
  '503 not_ready': 'A check failed. `details` names it.',

  // Any resource with an ID, and repeated requests.
  '404 not_found':
    'The resource does not exist in this organization or is not visible to the caller, or `X-Organization-ID` is unknown.',
  '409 changed_meanwhile':
    'Somebody changed it after the time in `If-Match`. `details.present` is how it is now.',
  '409 idempotency_mismatch':
    'The `Idempotency-Key` was already used with a different request body.',
  '409 idempotency_in_progress':
    'The first request with this `Idempotency-Key` is still in progress.',
  '409 idempotency_interrupted':
    'The first request with this `Idempotency-Key` succeeded, but its response was lost, ' +
    'or contains phone numbers that are now masked for the caller.',

  // Signing in, joining, people.
  '400 reset_invalid': 'The password reset link is unknown, used or expired.',
  '400 password_too_common':
    'The password is too common. Only if the installation rejects common passwords.',
  '400 wrong_password': '`current_password` is incorrect.',
  '400 same_password': 'The new password equals the current one.',
  '400 two_factor_invalid': 'The code is wrong or was already used.',
  '400 invitation_invalid':
    'The invitation is unknown, used, revoked, expired, belongs to another organization, ' +
    'or its role can no longer be granted.',
  '400 own_record':
    'The endpoint cannot be used on your own account; the message names the one to use.',
  '400 unknown_role': 'The organization has no such role.',
  '400 default_role_too_powerful':
    'The permissions are not allowed for the default role, which everyone who registers ' + 'gets.',
  '400 not_a_member': 'The user is not a member of the organization, or not an active one.',
  '403 not_a_member': 'The caller is not an active member of the organization.',
  '403 escalation':
    'The request would grant, change or remove permissions that the caller does not have.',
  '403 account_managed_elsewhere':
    'The account is managed by another organization, by its owner alone, or has more ' +
    'permissions than the caller.',
  '403 invitation_required': 'The organization requires an invitation.',
  '403 invitation_email_mismatch': 'The invitation is for another email address.',
  '403 registration_closed': 'The organization does not accept registrations.',
  '403 membership_suspended': 'The user is suspended in the organization.',
  '409 registration_closed': 'The organization does not accept new members.',
  '409 email_taken': 'An account with this email already exists.',
  '409 already_member': 'The user is already a member of the organization or team.',
  '400 not_an_archive': 'The file is no archive of an organization.',
  '400 archive_newer': 'The archive was written by a newer version.',
  '400 archive_damaged': 'Bytes of the archive are missing or not as they were written.',
  '400 archive_invalid': 'A row of the archive does not fit. `details` has the entry and the line.',
  '400 wrong_passphrase': 'The passphrase is not the one of the archive.',
  '400 number_in_use':
    'A phone number of the archive is connected in another organization. `details` has its line.',
  '409 organization_exists': 'The organization of the archive exists here.',
  '409 import_running': 'Another organization is being imported.',
  '409 move_running': 'The organization is being moved.',
  '409 same_cell': 'The address is that of this server.',
  '409 target_older': 'The other server has an older version.',
  '409 cell_refused': 'The other server does not take the organization.',
  '409 organization_busy': 'Data of the organization is being exported or erased.',
  '404 archive_expired': 'The archive has been deleted, seven days after it was written.',
  '409 archive_failed': 'The archive failed. Start a new one.',
  '409 archive_pending': 'An archive of the organization is being written.',
  '409 organization_leaving': 'The organization is being erased or imported.',
  '409 moved': 'The organization has moved to the server in `details.address`.',
  '409 last_organization': 'The installation would have no organization.',
  '409 organization_deleting': 'The organization is already being deleted.',
  '409 not_deleting': 'The organization is not being deleted.',
  '409 other_admins': 'The organization has other admins.',
  '409 last_admin': 'The organization would have no active admin.',
  '409 last_super_admin': 'The installation would have no super admin.',
  '409 not_pending': 'The invitation was accepted or revoked, or has expired.',
  '409 two_factor_enabled': 'Two-factor authentication is already enabled.',
  '409 two_factor_not_enabled': 'Two-factor authentication is not enabled.',
  '409 no_setup_pending':
    'Two-factor authentication has not been set up. Start with `POST /api/me/2fa/setup`.',
  '409 system_role':
    'System roles cannot be changed or deleted; only `is_default` can be set to true.',
  '409 default_role_required': 'A default role is required. Make another role the default first.',
  '409 role_in_use': 'The role has members. The message says how many.',
  '400 bad_reference': 'An ID in the body does not exist in the organization. `errors` lists it.',
  '409 limit_reached':
    'The organization has as many of these, or as much text in them, as it can have.',
  '409 endpoint_taken': 'Another person is notified at this address, with other keys.',
  '409 name_taken': 'Another resource already has this `name`.',
  '503 mail_not_configured': 'The installation cannot send email.',
  '409 mail_not_configured': 'The installation cannot send email. Its operator sets `SMTP_URL`.',

  // Phone numbers.
  '400 platform_rejected':
    'The platform rejected the request. `details` has its error code and message.',
  '400 signup_not_configured': 'Embedded signup is not configured.',
  '400 signup_token_invalid': 'The signup token is invalid or has expired.',
  '400 choice_required':
    'The token is for several phone numbers. `details` lists them, with the `signup_token` for the ' +
    'next request.',
  '400 no_number':
    'The business account has no phone number. `details` has its `business_ids`, and the ' +
    '`signup_token` for the next request.',
  '400 code_not_sent':
    'The platform does not send a verification code now. `details` has its error code and message.',
  '400 code_rejected': 'The verification code is wrong or has expired.',
  '409 already_verified': 'The phone number is verified already.',
  '409 on_phone_app':
    'The phone number is used in the WhatsApp Business app and must not be registered.',
  '400 still_failing':
    'The platform still blocks sending from this number. `details` has the reason.',
  '400 business_account_unproven':
    'The access token does not prove that the phone number belongs to the business account.',
  '400 app_unknown': '`app_id` of the account is required to upload a photo.',
  '400 account_inactive': 'The phone number is disconnected or suspended.',
  '400 not_escalation_partner':
    'Only the escalation partner of the phone number can take a thread.',
  '400 calls_elsewhere': 'Another app answers the calls of the phone number.',
  '400 payment_required': 'The business account of the phone number has no payment method.',
  '400 account_required': 'No default phone number can be determined. Send `account_id`.',
  '409 not_scheduled': 'The scheduled message was already sent or cancelled, or has failed.',
  '409 campaign_running': 'A scheduled, sending or paused campaign uses this resource.',
  '409 phone_id_in_use': 'The phone number is already connected.',
  '429 too_many_registrations': 'The platform allows ten registrations per number in 72 hours.',
  '503 platform_unreachable': 'The platform cannot be reached, or is limiting requests.',

  // Contacts and conversations.
  '400 unknown_tag': 'The organization has no such tag.',
  '409 contact_exists':
    "Another contact has this phone number or user ID. `details` holds the contact's ID if " +
    'the caller can see it.',
  '409 key_taken':
    'Another field has this `key`, or a deleted field with this `key` is still being ' +
    'cleaned up.',
  '400 has_values': 'The type cannot be changed because contacts have values for this field.',
  '400 segment_too_expensive':
    'The filter would take too long for this number of contacts. The error names the ' +
    'condition.',
  '400 confirm_mismatch': '`confirm` does not equal the contact ID in the path.',
  '409 request_open': 'A privacy request for this contact is already in progress.',
  '409 legal_hold': 'Data cannot be erased while the organization is on legal hold.',
  '404 expired': 'The file has been deleted.',
  '409 unfinished': 'The export is not finished, or it failed.',
  '409 already_undone': 'The merge was already undone.',
  '409 too_late': 'The time limit for this action has passed.',
  '409 count_changed':
    'The filter matches another number of conversations than expected. `details` has the number.',
  '409 already_assigned':
    'The conversation or transfer is assigned to someone else. `details` says to whom.',
  '400 team_inactive': 'The team is inactive.',
  '400 agent_unavailable': 'The person is away.',
  '400 agent_at_capacity': 'The person has as many active transfers as they can have.',
  '403 pickup_disabled':
    'The chatbot settings keep members from picking up transfers (`allow_agent_queue_pickup`).',
  '403 not_in_team': 'The transfer waits in the queue of a team that the caller is not in.',
  '409 at_capacity': 'The caller has as many active transfers as they can have.',
  '409 transfer_active':
    'The contact has an active transfer. `details` holds its ID if a transfer was to be created.',
  '409 session_active': 'The contact has an active session of the chatbot.',
  '400 flow_not_published': 'The bot flow has no published version, or is disabled.',
  '409 bot_session_ended': 'The session has ended. Ended sessions never change.',
  '409 transfer_ended': 'The transfer has ended. Ended transfers never change.',
  '403 not_the_author':
    'Only the author of the note can do this. Users with `contacts:delete` can also delete ' +
    'it.',
  '400 unsupported_action_type': 'Custom actions of this type are not supported.',
  '400 action_inactive': 'The custom action is inactive.',
  '409 shortcut_taken': 'Another canned response has this `shortcut`.',

  // Chatbot.
  '400 ai_not_configured': 'The chatbot settings have no AI provider, model or key.',
  '409 ai_budget_exhausted': 'The AI budget of the day or month has no room for another call.',
  '400 regex_unsupported':
    'The regular expression has look-around or back-references. `details.position` says where.',
  '400 regex_too_large':
    'The regular expression compiles to more than 100 instructions, or has too many Unicode classes.',
  '400 human_path_missing':
    'The bot or AI would be on and nothing would lead customers to a person.',

  // Flows.
  '400 graph_invalid': 'The graph of the bot flow has problems. `errors` lists each of them.',
  '409 no_draft': 'The bot flow has no draft to publish.',
  '400 url_refused':
    'The URL is not allowed, for example because it is not public. The message has the ' +
    'reason.',
  '400 flow_not_sendable': 'The flow is blocked or deprecated.',
  '400 not_saved': 'The flow has not been saved to the platform yet.',
  '400 local_changes': 'The flow has changes that are not saved to the platform.',
  '400 validation_errors': 'The platform found errors in the flow. `errors` lists them.',
  '400 flow_key_missing':
    'A flow with an endpoint requires an encryption key for its phone number.',
  '409 published': 'A published flow cannot be changed, saved or deleted.',
  '409 in_use': 'The resource is in use. `details` says where.',
  '409 flow_busy': 'Another request is updating the flow on the platform.',
  '421 decryption_failed': 'The request cannot be decrypted with a key of the phone number.',
  '432 signature_mismatch': 'The signature does not match the body.',

  // Messages and files.
  '400 window_closed':
    "The customer's last message is more than 24 hours old, so only templates can be sent.",
  '409 thread_not_ours':
    "The platform's agent or another app owns the thread. `details` says who. Send `take: true` to " +
    'take over.',
  '409 budget_reached':
    'The monthly budget of the organization is used up, so marketing messages are stopped until ' +
    'the next month.',
  '400 contact_blocked': 'The contact is blocked.',
  '400 no_address': 'The contact has no phone number or user ID to send to.',
  '400 media_url_refused':
    'The file at the URL cannot be downloaded or sent. The message has the reason.',
  '400 content_mismatch': 'The file is empty, or its content does not match its type.',
  '400 not_reactable': 'The message does not support reactions.',
  '400 not_incoming': 'Only incoming messages can be marked as read.',
  '409 permission_request_limit':
    'The platform permits no further request for the permission to call yet. ' +
    '`details.retry_at` says when it does.',
  '409 invalid_state': 'The order cannot change from its present state into this one.',
  '409 not_resendable': 'Only messages that failed or whose outcome is unknown can be resent.',
  '409 already_resent': 'The message was sent again already, and that one did not fail.',
  '409 already_sent': 'The message was already submitted to the platform, or has ended.',
  '429 queue_full': 'The send queue of this contact or organization is full.',
  '404 media_failed': 'The file could not be downloaded from the platform.',
  '404 no_thumbnail': 'The file is no image, or too large for a thumbnail.',
  '404 media_expired': 'The file has been deleted.',
  '409 media_expired':
    'The platform deletes files after seven days; this file is no longer available.',
  '409 media_pending': 'The file is still being downloaded from the platform. Try again shortly.',
  '409 not_failed': 'Only failed downloads can be retried.',

  // Templates.
  '400 sample_missing': 'The header needs a sample file.',
  '409 pending': 'The template is under review, or another request is updating it on the platform.',
  '409 edit_limit':
    'The platform accepts no more edits of the approved template for now. `details` says ' +
    'when it does.',
  '400 max_price_off':
    'The organization has not turned on highest prices for templates. The message names the ' +
    'agreement they need.',
  '400 template_not_found': 'The organization has no such template, or not in this language.',
  '400 template_not_approved':
    'The template cannot be sent because of its status. The message names the status.',
  '400 opted_out': 'The contact has opted out of marketing messages.',
  '400 phone_required':
    'One-time codes can only be sent to a phone number, and the contact has none.',
  '400 missing_params': 'Template values are missing. The message and `details` name them.',
  '400 invalid_params':
    'A value does not fit the template. `errors` lists each one and the reason.',
  '409 template_exists':
    'The business account already has a template with this name and language. `details` ' +
    'holds its ID.',

  // Campaigns.
  '400 no_recipients': 'The campaign has no recipients.',
  '400 no_template': 'The campaign has no template yet.',
  '400 over_budget': 'The budget of the campaign is used up.',
  '400 nothing_to_retry': 'No failed recipients can be retried now.',
  '404 no_media': 'The campaign has no media file of its own.',

  // Webhooks.
  '409 rotation_in_progress': 'Two signing secrets are valid already.',
  '409 endpoint_disabled': 'The webhook endpoint is disabled.',
  '409 payload_pruned': 'The payload of the delivery was deleted.',

  // Imports and exports.
  '400 empty_file': 'The file is empty or has no rows.',
  '400 bad_encoding': 'The file is not UTF-8.',
  '400 malformed_csv': 'The file is not valid CSV. The message says where.',
  '400 malformed_xlsx': 'The file is not valid XLSX.',
  '400 bad_header': 'The first row is not a valid header.',
  '400 duplicate_column': 'Two columns map to the same field.',
  '400 missing_column': 'A required column is missing. The message names it.',
  '400 too_many_columns': 'A row of the file has more than 500 columns.',
  '400 row_too_long': 'A row of the file is larger than 1 MiB.',
  '400 cell_too_long': 'A cell of the file has more than 32,767 characters.',
  '503 files_busy':
    'The server was busy with other files for two minutes. It reads one file per ' +
    'organization and two in total at a time.',
  '413 too_many_parts': 'The XLSX file has too many parts.',
  '413 too_large_unpacked': 'The XLSX file is too large when unpacked.',
  '413 too_many_rows': 'The file has too many rows.',
  '404 export_expired': 'The file has been deleted.',
  '409 export_pending': 'The export is not finished yet.',
  '409 export_failed': 'The export failed.',
  '409 restored':
    'The campaign comes from a restored backup, so recipients could get its message twice. ' +
    'Confirm with `include_unknown`.',
  '409 wrong_state': 'The current state does not allow this action. The message has the reason.',

  // Background work, deliveries, sockets.
  '400 too_many': 'More than 100,000 deliveries match. Narrow the filter.',
  '400 too_many_jobs': 'More than 10,000 discarded jobs match. Narrow the filter.',
  '409 in_progress': 'The delivery is being processed.',
  '409 not_signed_for': 'The delivery was not signed for the account of this change.',
  '409 backup_running': 'A backup is already running.',
  '409 backup_unfinished': 'The backup is not finished, or it failed.',
  '503 disk_full': 'There is not enough disk space.',
  '409 disk_full': 'There is not enough disk space for the organization.',
  '409 job_state': 'The state of the job does not allow this action.',
  '429 too_many_sockets': 'The caller or its organization has too many open WebSocket connections.',
} as const satisfies Record<`${number} ${string}`, string>

/** A refusal: status and code. */
export type ErrorCode = keyof typeof ERROR_CODES

/**
 * Extension key of a route's documentation that holds the route's own errors. The document turns
 * them into responses.
 */
export const ERROR_CODES_KEY = 'x-refusals'

/** Status and code of a refusal. */
export function partsOfErrorCode(refusal: ErrorCode): { status: string; code: string } {
  const [status = '', code = ''] = refusal.split(' ')
  return { status, code }
}
