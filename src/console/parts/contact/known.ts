import { ApiError } from '../../api/error'

/** Returns the contact that has the number already, as an error tells. Throws other errors. */
export function knownOf(error: unknown): string {
  const details: unknown = error instanceof ApiError ? error.more.details : null
  const id: unknown =
    typeof details === 'object' && details !== null ? Reflect.get(details, 'contact_id') : null
  if (typeof id === 'string') return id
  throw error
}
