import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { FIRST } from '../../live/start'

/** Returns the custom actions of the organization. They are loaded once for all contacts. */
export const useCustomActions = () =>
  useApi('GET /api/custom-actions', FIRST.actions, useCan('custom_actions:read'))
