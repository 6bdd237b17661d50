/**
 * Every refusal of the API: its status, its code, and when it is answered. Routes name those of
 * their own (`refuses` of the guard), the document adds those that follow from how a route is
 * built; a code that is not here is not to be thrown to a client.
 */
export const ERROR_CODES = {
  // Of how a request is written.
  '400 bad_host': 'The `Host` header is missing or malformed.',
  '400 invalid_input': 'One or more fields are invalid. `errors` lists each field and the reason.',
  '400 malformed_json': 'The body is not JSON.',
  '400 malformed_multipart': 'The body is not a multipart form, or the form has no file.',
  '400 content_encoding': 'The body is compressed. Send it uncompressed.',
  '400 upgrade_required': 'The request is not a WebSocket upgrade.',
  '408 body_too_slow':
    'The body was not received in time: 30 seconds, plus time for files at 1 Mbit/s.',
  '413 body_too_large': 'The body or file exceeds the limit of this endpoint.',
  '415 unsupported_media_type': 'This endpoint does not accept the type of the body or file.',

  // Of who asks.
  '401 unauthorized': 'The request has no credentials.',
  '401 invalid_token': 'The token is malformed, has a wrong signature, or is of another kind.',
  '401 token_expired': 'The token has expired.',
  '401 token_reused': 'The refresh token was used before: the whole session has ended.',
  '401 session_ended': 'The session has ended. Sign in again.',
  '401 membership_ended':
    'The user is no longer an active member of the organization in the token.',
  '401 account_disabled': 'The user is disabled, or suspended in every organization.',
  '401 no_membership': 'The user belongs to no organization.',
  '401 invalid_api_key': 'The API key is unknown, malformed, expired or disabled.',
  '401 key_owner_inactive': 'The owner of the API key is no longer active in the organization.',
  '401 invalid_credentials': 'The email or the password is wrong.',
  '401 two_factor_required': 'The account has a second factor: send its `code` too.',
  '401 two_factor_invalid': 'The code of the second factor is wrong or was used before.',
  '401 invalid_link':
    'The link is malformed, has expired, or the session it was made with has ended.',
  '401 signature_missing': 'The signature is missing or malformed.',
  '401 signature_mismatch': 'The signature does not match the body.',
  '403 permission_denied': 'The caller lacks a permission. The message names it.',
  '403 super_admin_required': 'Only a super admin can do this.',
  '403 session_required': 'Only a signed-in user can do this, not an API key.',
  '403 fresh_login_required': 'The user must have signed in within the last 5 minutes.',
  '403 organization_mismatch':
    '`X-Organization-ID` names another organization than the credentials, and the caller is not a super admin.',
  '403 origin_not_allowed': 'Sockets are not open to pages of this origin.',
  '403 metrics_elsewhere': 'Metrics are served at an address of their own only.',
  '403 verification_failed': 'The verify token is wrong, or a parameter is missing.',
  '429 rate_limited':
    'Too many requests of the caller, or of all API keys of the organization together.',
  '429 too_many_failures': 'Too many failed attempts of this account or address.',

  // Of the server.
  '500 internal_error':
    'The server failed unexpectedly. Quote the request ID in the message when you report it.',
  '503 storage_unavailable': 'The server cannot store anything at the moment.',
  '503 unavailable': 'The server is overloaded or stopping.',
  '503 took_too_long':
    'The request exceeded its time limit (50 seconds for reads, 6 minutes for changes). A change may still take effect.',
  '503 not_ready': 'A check fails; `details` says which.',

  // Of every thing with an id, and of requests that are repeated.
  '404 not_found':
    'The resource does not exist in this organization or is not visible to the caller, or `X-Organization-ID` is unknown.',
  '409 idempotency_mismatch': 'The `Idempotency-Key` was used with another body.',
  '409 idempotency_in_progress': 'The first request with this `Idempotency-Key` is still running.',
  '409 idempotency_interrupted':
    'The first request with this `Idempotency-Key` took effect, but its response is lost or contains phone numbers that are masked by now.',

  // Signing in, joining, people.
  '400 reset_invalid': 'The link for a new password is unknown, used or expired.',
  '400 password_too_common':
    'The password is too common (where the installation refuses such ones).',
  '400 wrong_password': '`current_password` is not the present password.',
  '400 same_password': 'The new password is the present one.',
  '400 two_factor_invalid': 'The code is wrong or was used before.',
  '400 invitation_invalid':
    'The invitation is unknown, used, revoked, expired or of another organization, or can no longer be given.',
  '400 own_record': 'It is about the caller itself; the message says what to use instead.',
  '400 unknown_role': 'The organization has no such role.',
  '400 default_role_too_powerful':
    'The default role may not hold so much: everybody who joins gets it.',
  '400 not_a_member': 'The person is no active member of the organization.',
  '403 not_a_member': 'The caller is no active member of the organization.',
  '403 escalation': 'It would give, change or take what the caller does not hold itself.',
  '403 account_managed_elsewhere':
    'The account is managed by another organization, by its person alone, or by somebody with more permissions.',
  '403 invitation_required': 'The organization can be joined with an invitation only.',
  '403 invitation_email_mismatch': 'The invitation is made out to another e-mail address.',
  '403 registration_closed': 'The organization takes nobody in by registration.',
  '403 membership_suspended': 'The person was suspended in the organization.',
  '409 registration_closed': 'The organization takes nobody in by registration or invitation.',
  '409 email_taken': 'Another account has the e-mail address.',
  '409 already_member': 'The person is a member of the organization already.',
  '409 last_admin': 'The organization would be left without an active admin.',
  '409 last_super_admin': 'The installation would be left without a super admin.',
  '409 not_pending': 'The invitation was accepted, revoked, or has expired.',
  '409 two_factor_enabled': 'The second factor is switched on already.',
  '409 two_factor_not_enabled': 'The second factor is not switched on.',
  '409 no_setup_pending': 'No second factor was set up that could be switched on.',
  '409 system_role':
    'System roles cannot be changed or deleted; only `is_default` can be set to true.',
  '409 default_role_required': 'There must be a default role; make another one the default first.',
  '409 role_in_use': 'Members have the role; the message says how many.',
  '409 name_taken': 'Another one has the name.',
  '503 mail_not_configured': 'The installation has no mail server.',

  // Phone numbers.
  '400 platform_rejected': 'The platform says no; `details` holds its code and words.',
  '400 signup_not_configured': 'The installation has no app for embedded signup.',
  '400 still_failing': 'The platform still lets the number send nothing; `details` says why.',
  '400 business_account_unproven':
    'The access token does not prove that the phone number belongs to the business account.',
  '400 app_unknown': 'No app is known through which the platform would take the picture.',
  '400 account_inactive': 'The phone number is disconnected or suspended.',
  '400 account_required': 'No phone number goes without saying: send `account_id`.',
  '409 campaign_running': 'A campaign that is scheduled, sending or paused needs it.',
  '409 phone_id_in_use': 'The phone number is connected already.',
  '429 too_many_registrations': 'The platform takes ten registrations of a number in 72 hours.',
  '503 platform_unreachable': 'The platform cannot be reached, or takes no questions now.',

  // Contacts and conversations.
  '400 unknown_tag': 'The organization has no such tag.',
  '400 too_many_attributes': 'The organization has 100 own fields already.',
  '409 contact_exists':
    'Another contact has the number or id; `details` holds its id when the caller sees it.',
  '409 key_taken': 'Another field has the key, or values of a deleted one are still being removed.',
  '400 has_values': 'Contacts have values of the field: its type can no longer change.',
  '400 segment_too_expensive':
    'The filter would take too long with as many contacts as there are; the error names the condition.',
  '400 confirm_mismatch': '`confirm` is not the id of the contact.',
  '409 request_open': 'A request about the contact is being worked off.',
  '409 legal_hold': 'The organization is on legal hold: nothing is erased.',
  '404 expired': 'The file is no longer kept.',
  '409 unfinished': 'The file is still being written, or could not be.',
  '409 already_undone': 'The merge was undone already.',
  '409 too_late': 'The time in which it could be done is over.',
  '409 already_assigned': 'Somebody else has the conversation; `details` says who.',
  '403 not_the_author':
    'Only who wrote the note may do this; deleting is open to holders of contacts:delete too.',
  '409 shortcut_taken': 'Another canned response has the shortcut.',

  // Flows.
  '400 url_refused': 'The address is not one this server asks; the message says why.',
  '400 flow_not_sendable': 'The flow is blocked by the platform, or deprecated.',
  '400 not_saved': 'The platform does not have the flow yet.',
  '400 local_changes': 'The flow was changed since it was saved to the platform.',
  '400 validation_errors': 'The platform finds errors in the flow; `errors` names them.',
  '400 flow_key_missing': 'A flow with an endpoint needs a key of its phone number.',
  '409 published': 'A published flow is not changed, saved or deleted.',
  '409 in_use': 'Something uses it; `details` says what.',
  '409 flow_busy': 'Somebody is working on the flow at the platform just now.',
  '421 decryption_failed': 'The request cannot be decrypted with a key of the number.',
  '432 signature_mismatch': 'The signature does not match the body.',

  // Messages and files.
  '400 window_closed':
    'The customer last wrote more than 24 hours ago: only templates can be sent.',
  '400 contact_blocked': 'The contact is blocked.',
  '400 no_address': 'The contact has neither a phone number nor a user id.',
  '400 media_url_refused':
    'The file behind the address cannot be fetched or sent; the message says why.',
  '400 content_mismatch': 'The file is empty, or its content is not what it claims to be.',
  '400 not_reactable': 'The message takes no reaction.',
  '400 not_incoming': 'Only messages of customers are marked as read.',
  '409 not_resendable': 'Only a message that failed, or whose outcome is unknown, is sent again.',
  '409 already_sent': 'The message was handed to the platform already, or has ended.',
  '429 queue_full': 'Too many messages wait for this contact or organization.',
  '404 media_failed': 'The file could not be fetched from the platform.',
  '404 media_expired': 'The file is no longer kept.',
  '409 media_expired': 'The platform kept the file for seven days; it is gone.',
  '409 media_pending': 'The file is still being fetched from the platform.',
  '409 not_failed': 'Only a file that failed is fetched again.',

  // Templates.
  '400 sample_missing': 'The header carries a file, and there is no sample of it.',
  '409 pending': 'The platform is deciding about the template, or somebody works on it there.',
  '409 edit_limit':
    'The platform takes no more changes of the approved template now; `details` says when it does.',
  '400 template_not_found': 'The organization has no such template, or not in this language.',
  '400 template_not_approved':
    'The platform does not send the template now; the message says in which state it is.',
  '400 opted_out': 'The contact wants no marketing messages.',
  '400 phone_required': 'One-time codes go to phone numbers only, and the contact has none.',
  '400 missing_params':
    'The template takes values that were not given; the message and `details` name them.',
  '400 invalid_params': 'A value does not fit the template; `errors` say which and why.',
  '409 template_exists':
    'The business account has a template of this name and language already; `details` holds its id.',

  // Campaigns.
  '400 no_recipients': 'Nobody would get the campaign.',
  '400 over_budget': 'The budget of the campaign is used up.',
  '400 nothing_to_retry': 'None of the recipients can be tried again now.',
  '404 no_media': 'The campaign has no file of its own.',

  // Imports and exports.
  '400 empty_file': 'The file is empty, or has no rows.',
  '400 bad_encoding': 'The file is not UTF-8.',
  '400 malformed_csv': 'The file is broken CSV; the message says where.',
  '400 malformed_xlsx': 'The file is broken XLSX.',
  '400 bad_header': 'The first row of the file is no row of headings.',
  '400 duplicate_column': 'Two columns of the file mean the same.',
  '400 missing_column': 'A column that is needed is missing; the message names it.',
  '400 too_many_columns': 'The file has more than 500 columns in a row.',
  '400 row_too_long': 'The file has a row of more than 1 MiB.',
  '400 cell_too_long': 'The file has a cell of more than 32,767 characters.',
  '503 files_busy':
    'Other files were being read for two minutes: one of an organization is read at a time, and two of all.',
  '413 too_many_parts': 'The XLSX file is made of more parts than are taken.',
  '413 too_large_unpacked': 'The XLSX file is larger, once unpacked, than is taken.',
  '413 too_many_rows': 'The file has more rows than are taken at once.',
  '404 export_expired': 'The file is no longer kept.',
  '409 export_pending': 'The file is still being written.',
  '409 export_failed': 'The file could not be written.',
  '409 restored':
    'The campaign comes from a restored backup: recipients may get its message twice. Confirm with `ignore_errors`.',
  '409 wrong_state': 'The present state does not allow it; the message says why.',

  // Background work, deliveries, sockets.
  '400 too_many': 'More than 100,000 deliveries fit; narrow the request.',
  '400 too_many_jobs': 'More than 10,000 discarded jobs fit; narrow the request.',
  '409 in_progress': 'The change is being worked off.',
  '409 not_signed_for': 'The signature of the delivery does not speak for this change.',
  '409 backup_running': 'A backup is being made.',
  '409 backup_unfinished': 'The backup is still being made, or has failed.',
  '503 disk_full': 'The disk has no room for it.',
  '409 job_state': 'The state of the job does not allow it.',
  '429 too_many_sockets': 'The caller or its organization has too many open sockets.',
} as const satisfies Record<`${number} ${string}`, string>

/** A refusal: status and code. */
export type ErrorCode = keyof typeof ERROR_CODES

/**
 * The extra word of a route's documentation that holds the refusals of its own; the document turns
 * them into responses.
 */
export const ERROR_CODES_KEY = 'x-refusals'

/** Status and code of a refusal. */
export function partsOfErrorCode(refusal: ErrorCode): { status: string; code: string } {
  const [status = '', code = ''] = refusal.split(' ')
  return { status, code }
}
