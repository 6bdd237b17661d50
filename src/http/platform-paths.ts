/**
 * Paths under /api that the platform and other cells call. They are not rate limited and are signed
 * instead of authenticated.
 */
export const WEBHOOK_PATH = '/api/webhook'

const FLOW_ENDPOINT = '/api/flows/endpoint'

const CELLS = '/api/cells'

/** Whether the platform or another cell calls this path. */
export const isPlatformPath = (path: string): boolean =>
  path === WEBHOOK_PATH || path.startsWith(`${FLOW_ENDPOINT}/`) || path.startsWith(`${CELLS}/`)
