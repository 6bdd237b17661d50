import { ConflictError, InvalidError, type AppError } from '../../../lib/errors'
import type { Conflict } from './model'

/** Returns the error for a conflict that prevents an import. */
export const conflictError = ({ kind, message, file, line }: Conflict): AppError =>
  kind === 'organization_exists'
    ? new ConflictError(message, { code: 'organization_exists' })
    : new InvalidError(message, { code: 'number_in_use', details: { file, line } })
