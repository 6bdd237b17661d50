/** How to handle a platform failure. Each code has exactly one class. */
export type RetryClass =
  | 'again'
  | 'throughput'
  | 'pair'
  | 'quota'
  | 'syncing'
  | 'ambiguous'
  | 'credential'
  | 'account'
  | 'payment'
  | 'messaging_account'
  | 'window'
  | 'consent'
  | 'cap'
  | 'recipient'
  | 'content'
  | 'routing'
  | 'other'

/**
 * Description of a failure: a stable code, a message a person can act on, and whether the same
 * message may succeed later.
 */
export interface ErrorDescription {
  code: string
  message: string
  retryable: boolean
}

/** A platform code with its class and description. */
export interface CodeFacts extends ErrorDescription {
  retryClass: RetryClass
}

/** The token lacks a permission. */
export const MISSING_PERMISSION: ErrorDescription = {
  code: 'permission_missing',
  message:
    'The access token lacks a permission for this number. Give its system user access to the account and save a new token.',
  retryable: true,
}

/** The platform limits the number of calls. */
export const PLATFORM_BUSY: ErrorDescription = {
  code: 'platform_rate_limited',
  message: 'The platform is limiting requests. Sending continues automatically.',
  retryable: true,
}

/** The platform may have executed the call. */
export const OUTCOME_UNKNOWN: ErrorDescription = {
  code: 'outcome_unknown',
  message:
    'The platform gave no definite response, so the message may have arrived. Check with ' +
    'the recipient before you resend it.',
  retryable: true,
}

/** The platform is under maintenance. */
export const MAINTENANCE: ErrorDescription = {
  code: 'platform_unavailable',
  message: 'The platform was not available for this number. Resend the message later.',
  retryable: true,
}

/** Nobody pays for the message. */
export const PAYMENT: ErrorDescription = {
  code: 'payment_required',
  message:
    'WhatsApp did not deliver the message because the business account has no valid payment ' +
    'method. Add one in WhatsApp Manager, resume the number, and send it again.',
  retryable: true,
}

/** Billing of calls fails. */
export const CALL_PAYMENT: ErrorDescription = {
  code: 'payment_required',
  message:
    'The business account has a payment problem. Check its payment method in the business ' +
    'manager, then resume the number.',
  retryable: true,
}

/** A field has an invalid value. */
export const BAD_VALUE: ErrorDescription = {
  code: 'invalid_message',
  message: 'The platform rejected a value of this message. Check its fields and send it again.',
  retryable: false,
}

/** The platform rejects the file. */
export const MEDIA_REFUSED: ErrorDescription = {
  code: 'media_rejected',
  message: 'The platform could not use the file. Check its type and size and send it again.',
  retryable: false,
}

/** The parameters do not fit the template. */
export const BAD_TEMPLATE_PARAMS: ErrorDescription = {
  code: 'template_params_invalid',
  message:
    'The values do not fit the template. Compare them with the template, remove line ' +
    'breaks and long gaps, and send it again.',
  retryable: false,
}

/** The Flow is invalid. */
export const BAD_FLOW: ErrorDescription = {
  code: 'flow_rejected',
  message:
    'The platform rejected the flow. Open the flow, fix the reported problems and publish ' +
    'it again.',
  retryable: false,
}

/** Descriptions by class, for unknown codes and failures without a code. */
export const CLASS_DESCRIPTIONS: Readonly<Record<RetryClass, ErrorDescription>> = {
  again: {
    code: 'platform_unreachable',
    message: 'The platform could not be reached. Resend the message later.',
    retryable: true,
  },
  throughput: {
    code: 'sending_too_fast',
    message: 'The number sends faster than the platform allows. Sending continues at a lower rate.',
    retryable: true,
  },
  pair: {
    code: 'too_many_to_recipient',
    message:
      'Too many messages were sent to this recipient in a short time. Wait a few minutes ' +
      'before you send more.',
    retryable: true,
  },
  quota: PLATFORM_BUSY,
  syncing: {
    code: 'template_syncing',
    message:
      'WhatsApp still prepares this template for marketing messages. Its messages are sent in ' +
      'about ten minutes.',
    retryable: true,
  },
  ambiguous: OUTCOME_UNKNOWN,
  credential: {
    code: 'account_disconnected',
    message:
      'WhatsApp does not accept the access token of this number, or the token is missing. Save a new one.',
    retryable: true,
  },
  account: {
    code: 'account_suspended',
    message:
      'The platform has restricted this number. Resolve it in the business manager, then ' +
      'resume the number.',
    retryable: true,
  },
  payment: PAYMENT,
  messaging_account: {
    code: 'messaging_account_rejected',
    message:
      'WhatsApp asks for the messaging account of this number, or does not accept the one that is ' +
      'set. Enter its ID in the settings of the number.',
    retryable: true,
  },
  window: {
    code: 'window_closed',
    message:
      "The contact's last message is more than 24 hours old. Send an approved template " +
      'instead.',
    retryable: false,
  },
  consent: {
    code: 'opted_out',
    message:
      'The contact has opted out of marketing messages on the platform. Do not send more of ' +
      'them.',
    retryable: false,
  },
  cap: {
    code: 'marketing_limited',
    message:
      'The platform did not deliver this marketing message, to protect the recipient. Try ' +
      'again after 24 hours at the earliest.',
    retryable: true,
  },
  recipient: {
    code: 'recipient_rejected',
    message: 'The platform cannot deliver to this recipient. Check the number.',
    retryable: false,
  },
  content: BAD_VALUE,
  routing: {
    code: 'another_responder',
    message: 'Another responder of this phone number has to do this.',
    retryable: false,
  },
  other: {
    code: 'platform_rejected',
    message:
      'The platform rejected the message. Check the details, correct the message and send it ' +
      'again.',
    retryable: false,
  },
}
