import {
  type RetryClass,
  type ErrorDescription,
  type CodeFacts,
  MISSING_PERMISSION,
  PLATFORM_BUSY,
  OUTCOME_UNKNOWN,
  MAINTENANCE,
  CALL_PAYMENT,
  PAYMENT,
  BAD_VALUE,
  MEDIA_REFUSED,
  BAD_TEMPLATE_PARAMS,
  BAD_FLOW,
  CLASS_DESCRIPTIONS,
} from './error-classes'

type Row = readonly [code: number, retryClass: RetryClass, words: ErrorDescription]

const describe = (code: string, message: string, retryable = false): ErrorDescription => ({
  code,
  message,
  retryable,
})

const ROWS: readonly Row[] = [
  [131016, 'again', MAINTENANCE],
  [131057, 'again', MAINTENANCE],
  [133004, 'again', MAINTENANCE],
  [130429, 'throughput', CLASS_DESCRIPTIONS.throughput],
  [131056, 'pair', CLASS_DESCRIPTIONS.pair],

  [4, 'quota', PLATFORM_BUSY],
  [17, 'quota', PLATFORM_BUSY],
  [341, 'quota', PLATFORM_BUSY],
  [613, 'quota', PLATFORM_BUSY],
  [80007, 'quota', PLATFORM_BUSY],
  [
    131064,
    'quota',
    describe(
      'messaging_limit_reached',
      'The messaging limit is used up after the category of a template changed. Sending ' +
        'continues when the limit resets.',
      true,
    ),
  ],
  [
    133016,
    'quota',
    describe(
      'registration_limit_reached',
      'The platform allows ten registrations per number in 72 hours. Wait before you ' +
        'register it again.',
      true,
    ),
  ],
  [
    132069,
    'quota',
    describe(
      'flow_throttled',
      'The platform limits messages with this flow. They are sent later; check the health of ' +
        'the flow.',
      true,
    ),
  ],
  [
    132015,
    'quota',
    describe(
      'template_paused',
      'The platform paused this template because of low quality. Messages are sent when the ' +
        'pause ends. Improve the template in the meantime.',
      true,
    ),
  ],

  [134101, 'syncing', CLASS_DESCRIPTIONS.syncing],

  [1, 'ambiguous', OUTCOME_UNKNOWN],
  [2, 'ambiguous', OUTCOME_UNKNOWN],
  [131000, 'ambiguous', OUTCOME_UNKNOWN],

  [0, 'credential', CLASS_DESCRIPTIONS.credential],
  [190, 'credential', CLASS_DESCRIPTIONS.credential],
  [3, 'credential', MISSING_PERMISSION],
  [10, 'credential', MISSING_PERMISSION],
  [131005, 'credential', MISSING_PERMISSION],

  [
    368,
    'account',
    describe(
      'account_blocked',
      'The platform blocked this account for a policy violation. Appeal in the business ' +
        'manager, then resume the number.',
      true,
    ),
  ],
  [
    131031,
    'account',
    describe(
      'account_locked',
      'The platform locked this account. Check the number and its PIN in the business ' +
        'manager, then resume the number.',
      true,
    ),
  ],
  [
    131037,
    'account',
    describe(
      'display_name_not_approved',
      'The display name of this number is not approved. Get it approved in the business ' +
        'manager, then resume the number.',
      true,
    ),
  ],
  [131042, 'payment', PAYMENT],
  [131044, 'account', CALL_PAYMENT],
  [
    131045,
    'account',
    describe(
      'registration_invalid',
      'The registration of this number is invalid. Register the number again, then resume it.',
      true,
    ),
  ],
  [
    131048,
    'account',
    describe(
      'spam_limited',
      'The platform limits this number because recipients blocked or reported it. Sending ' +
        'continues after a pause. Send fewer unsolicited messages.',
      true,
    ),
  ],
  [
    133010,
    'account',
    describe(
      'number_not_registered',
      'This number is not registered with the platform. Register it, then resume it.',
      true,
    ),
  ],

  [131047, 'window', CLASS_DESCRIPTIONS.window],
  [131050, 'consent', CLASS_DESCRIPTIONS.consent],
  [131049, 'cap', CLASS_DESCRIPTIONS.cap],
  [130472, 'cap', CLASS_DESCRIPTIONS.cap],

  [
    131026,
    'recipient',
    describe(
      'recipient_unreachable',
      'The message cannot be delivered. The recipient may not use WhatsApp, or uses an old ' +
        'version. Contact the recipient in another way.',
    ),
  ],
  [
    131021,
    'recipient',
    describe(
      'recipient_is_sender',
      'A number cannot send messages to itself. Choose another recipient or another account.',
    ),
  ],
  [
    131030,
    'recipient',
    describe(
      'recipient_not_allowed',
      'A test number can only send to listed recipients. Add this recipient to the list in ' +
        'the app dashboard.',
    ),
  ],
  [
    131062,
    'recipient',
    describe(
      'phone_required',
      'This message cannot be sent to a user ID. Ask the contact for the phone number.',
    ),
  ],
  [
    130497,
    'recipient',
    describe(
      'country_restricted',
      'The business may not send to phone numbers of this country. Contact the recipient in ' +
        'another way.',
    ),
  ],
  [
    137000,
    'recipient',
    describe(
      'identity_changed',
      "The security code of the recipient has changed. Confirm the recipient's identity " +
        'before you resend the message.',
    ),
  ],

  [100, 'content', BAD_VALUE],
  [
    131008,
    'content',
    describe(
      'missing_field',
      'A required field of this message is missing. Add it and send it again.',
    ),
  ],
  [131009, 'content', BAD_VALUE],
  [
    131051,
    'content',
    describe(
      'unsupported_type',
      'The platform does not support this message type. Send another type.',
    ),
  ],
  [
    131052,
    'content',
    describe(
      'media_unavailable',
      'The platform could not download the file. Upload it again and resend the message.',
    ),
  ],
  [131053, 'content', MEDIA_REFUSED],
  [
    131055,
    'content',
    describe(
      'method_not_allowed',
      'The platform does not allow this message for the number. Send another type of message.',
    ),
  ],
  [
    131061,
    'content',
    describe(
      'max_price_not_available',
      'WhatsApp sends a template with a maximum price only as a marketing message, and the business ' +
        'has not accepted their terms. Accept them in WhatsApp Manager.',
    ),
  ],
  [
    131063,
    'content',
    describe(
      'marketing_disabled',
      'The business sends marketing only as marketing messages, and has not accepted their terms. ' +
        'Accept them in WhatsApp Manager and send it again.',
    ),
  ],
  [
    132000,
    'content',
    describe(
      'template_params_count',
      'The number of values does not match the template. Sync the templates and fill in every variable.',
    ),
  ],
  [
    132001,
    'content',
    describe(
      'template_not_found',
      'The template does not exist in this language or is not approved. Sync the templates and choose another.',
    ),
  ],
  [
    132005,
    'content',
    describe(
      'template_too_long',
      'The template is too long with these values. Shorten them and send it again.',
    ),
  ],
  [
    132007,
    'content',
    describe(
      'template_policy',
      'The content of the template violates a policy of the platform. Change the template ' +
        'and submit it again.',
    ),
  ],
  [132008, 'content', BAD_TEMPLATE_PARAMS],
  [132012, 'content', BAD_TEMPLATE_PARAMS],
  [
    132016,
    'content',
    describe(
      'template_disabled',
      'The platform permanently disabled this template. Use another template.',
    ),
  ],
  [132018, 'content', BAD_TEMPLATE_PARAMS],
  [
    132068,
    'content',
    describe(
      'flow_blocked',
      'The platform blocked this flow. Open the flow, fix the reported problems and publish ' +
        'it again.',
    ),
  ],
  [
    134100,
    'content',
    describe(
      'not_marketing',
      'WhatsApp does not count this template as marketing. Sync the templates and send it again.',
    ),
  ],
  [
    134102,
    'content',
    describe(
      'template_unavailable',
      'WhatsApp cannot send this template as a marketing message. Use another template.',
    ),
  ],
  [135000, 'content', BAD_TEMPLATE_PARAMS],
  [
    139000,
    'content',
    describe(
      'flow_blocked',
      'The platform blocked this flow for integrity reasons. Review the flow before you use ' +
        'it again.',
    ),
  ],
  [
    139200,
    'content',
    describe(
      'direct_send_blocked',
      'WhatsApp has stopped messages without a template of this business. Send a template instead.',
    ),
  ],
  [139001, 'content', BAD_FLOW],
  [139002, 'content', BAD_FLOW],
  [139003, 'content', BAD_FLOW],
  [139004, 'content', BAD_FLOW],

  [
    2494191,
    'routing',
    describe(
      'not_escalation_partner',
      'Only the escalation partner of this phone number can take a thread. The business sets it ' +
        'in the routing of Meta Business Suite.',
    ),
  ],
  [
    138038,
    'routing',
    describe(
      'calls_elsewhere',
      'Another app answers the calls of this phone number. The business sets it in the routing ' +
        'of Meta Business Suite.',
    ),
  ],
]

/** All codes from 200 to 299 mean a missing or revoked permission. */
const PERMISSION_RANGE: CodeFacts = { retryClass: 'credential', ...MISSING_PERMISSION }

const FACTS = new Map<number, CodeFacts>(
  ROWS.map(([code, retryClass, row]) => [code, { retryClass, ...row }]),
)

/** All individually listed codes, without the range 200 to 299. */
export const KNOWN_CODES: readonly number[] = [...FACTS.keys()]

/**
 * Returns the facts about a platform code, or `undefined` if it is unlisted (platform
 * documentation: error codes).
 */
export function codeFacts(code: number): CodeFacts | undefined {
  return code >= 200 && code <= 299 ? PERMISSION_RANGE : FACTS.get(code)
}
