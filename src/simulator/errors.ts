/** An error response of the platform before serialization. */
export type Refusal = {
  code: number
  subcode?: number
  httpStatus: number
  type: 'OAuthException' | 'GraphMethodException'
  message: string
  details?: string
  retryAfter?: number | string
  /** Minutes until access is regained, for the usage header. */
  usageMinutes?: number
  transient?: boolean
}

/** An error requested by a test. Missing members follow from the code. */
export type Failure = Partial<Omit<Refusal, 'code'>> & { code: number }

type Known = { http: number; title: string; transient?: boolean }

/** Titles and usual HTTP status of the codes (platform document 2.6). Other codes give 400. */
const KNOWN: Readonly<Record<number, Known>> = {
  0: { http: 401, title: 'AuthException' },
  1: { http: 500, title: 'An unknown error occurred', transient: true },
  2: { http: 503, title: 'Service temporarily unavailable', transient: true },
  3: { http: 500, title: 'Capability or permission problem' },
  4: { http: 429, title: 'Application request limit reached', transient: true },
  10: { http: 403, title: 'Permission denied' },
  100: { http: 400, title: 'Invalid parameter' },
  101: { http: 400, title: 'Missing client_id parameter' },
  190: { http: 401, title: 'Error validating access token' },
  368: { http: 403, title: 'Temporarily blocked for policies violations' },
  2200: { http: 400, title: 'Callback verification failed' },
  2500: { http: 400, title: 'Unknown path components' },
  138038: { http: 400, title: 'Another app is the primary responder for calls' },
  2_494_191: { http: 400, title: 'Only the escalation app can take control of a thread' },
  80007: { http: 429, title: 'Rate limit issues', transient: true },
  130429: { http: 429, title: 'Rate limit hit', transient: true },
  130472: { http: 400, title: "User's number is part of an experiment" },
  131000: { http: 500, title: 'Something went wrong', transient: true },
  131005: { http: 403, title: 'Access denied' },
  131008: { http: 400, title: 'Required parameter is missing' },
  131009: { http: 400, title: 'Parameter value is not valid' },
  131016: { http: 500, title: 'Service unavailable', transient: true },
  131021: { http: 400, title: 'Recipient cannot be sender' },
  131026: { http: 400, title: 'Message undeliverable' },
  131030: { http: 400, title: 'Recipient phone number not in allowed list' },
  131031: { http: 403, title: 'Account has been locked' },
  131042: { http: 400, title: 'Business eligibility payment issue' },
  131047: { http: 400, title: 'Re-engagement message' },
  131048: { http: 429, title: 'Spam rate limit hit' },
  131049: {
    http: 400,
    title: 'This message was not delivered to maintain healthy ecosystem engagement',
  },
  131050: { http: 400, title: 'User has stopped marketing messages' },
  131051: { http: 400, title: 'Unsupported message type' },
  131052: { http: 400, title: 'Media download error' },
  131053: { http: 400, title: 'Media upload error' },
  131055: { http: 400, title: 'Method not allowed' },
  131056: {
    http: 400,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    transient: true,
  },
  131057: { http: 500, title: 'Account in maintenance mode', transient: true },
  131062: { http: 400, title: 'Business-scoped user id is not supported for this message' },
  132000: { http: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { http: 404, title: 'Template name does not exist in the translation' },
  132012: { http: 400, title: 'Parameter format does not match format in the created template' },
  132015: { http: 400, title: 'Template is paused' },
  132016: { http: 400, title: 'Template is disabled' },
  132018: { http: 400, title: 'Template parameter text is not valid' },
  132068: { http: 400, title: 'Flow is blocked' },
  132069: { http: 400, title: 'Flow is throttled' },
  139001: { http: 400, title: "Flow can't be updated" },
  139002: { http: 400, title: 'Publishing Flow failed' },
  139003: { http: 400, title: "Can't deprecate Flow" },
  139004: { http: 400, title: "Can't delete published Flow" },
  133004: { http: 503, title: 'Server temporarily unavailable', transient: true },
  133005: { http: 400, title: 'Two step verification PIN mismatch' },
  133006: { http: 400, title: 'Phone number must be verified before registering' },
  136024: { http: 400, title: 'Request code error' },
  136025: { http: 400, title: 'Verify code error' },
  2593107: { http: 400, title: 'Synchronization was already requested' },
  2593108: { http: 400, title: 'Synchronization is possible for 24 hours only' },
  2593109: { http: 400, title: 'History sync is turned off by the business' },
  133010: { http: 400, title: 'Phone number not registered' },
  133016: { http: 400, title: 'Account register deregister rate limit exceeded' },
}

/** Returns the title of a code, as in failed statuses. */
export function titleOf(code: number): string {
  return KNOWN[code]?.title ?? 'Unknown error'
}

/** Completes a failure to the platform's error for this code. */
export function refusal(failure: Failure): Refusal {
  const known = KNOWN[failure.code]
  const plain = failure.code === 190 || failure.code === 2500
  const transient = known?.transient === true ? { transient: true } : {}
  return {
    httpStatus: known?.http ?? 400,
    type: 'OAuthException',
    message: plain ? titleOf(failure.code) : `(#${failure.code}) ${titleOf(failure.code)}`,
    ...transient,
    ...failure,
  }
}

/**
 * Returns the error for an object that does not exist or is not visible: HTTP 400, code 100,
 * subcode 33 (platform document 2.5).
 */
export function unknownObject(method: string, id: string): Refusal {
  return refusal({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message:
      `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, ` +
      'cannot be loaded due to missing permissions, or does not support this operation',
  })
}

/** Returns the platform's error body (platform document 2.5). */
export function errorBody(refused: Refusal, traceId: string): { error: Record<string, unknown> } {
  const error: Record<string, unknown> = {
    message: refused.message,
    type: refused.type,
    code: refused.code,
  }
  if (refused.subcode !== undefined) error['error_subcode'] = refused.subcode
  if (refused.details !== undefined)
    error['error_data'] = { messaging_product: 'whatsapp', details: refused.details }
  if (refused.transient !== undefined) error['is_transient'] = refused.transient
  error['fbtrace_id'] = traceId
  return { error }
}
