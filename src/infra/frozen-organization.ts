import { UnavailableError } from '../lib/errors'

/** Seconds after which a client tries again: most organizations are copied within minutes. */
const RETRY_S = 10

/** Returns the error of a request that would write into an organization that is being moved. */
export const movingError = (): UnavailableError =>
  new UnavailableError(
    'This organization is being moved to another server, or this server was restored and asks the ' +
      'others where it works. It can be read meanwhile; try again soon.',
    RETRY_S,
    { code: 'organization_moving' },
  )
