import { codeOf } from '../../../../infra/db/errors'
import { ArchiveFault, invalid, type Place } from '../archive/fault'

/** What the row of an archive did wrong, by the code of SQLite. */
const PROBLEMS: Record<string, string> = {
  SQLITE_CONSTRAINT_FOREIGNKEY:
    'refers to a row that the archive does not have, or to one that does not travel',
  SQLITE_CONSTRAINT_UNIQUE: 'has a value that another row has and that must be unique',
  SQLITE_CONSTRAINT_PRIMARYKEY: 'is there twice',
  SQLITE_CONSTRAINT_ROWID: 'is there twice',
  SQLITE_CONSTRAINT_CHECK: 'has values that do not go together',
  SQLITE_CONSTRAINT_NOTNULL: 'lacks a required value',
  SQLITE_CONSTRAINT_DATATYPE: 'has a value of another type',
}

/** Returns the fault of the row for an error that the row caused, and other errors unchanged. */
export function refusalOf(error: unknown, place: Place): unknown {
  if (error instanceof ArchiveFault) return error
  const problem = PROBLEMS[codeOf(error) ?? '']
  if (problem !== undefined) return invalid(problem, place)
  // The program reads JSON and IDs of a row when it completes it.
  if (error instanceof SyntaxError || error instanceof TypeError)
    return invalid('has a value that cannot be read', place)
  return error
}
