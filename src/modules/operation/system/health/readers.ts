import { reader } from '../../../../infra/read/reader'
import { checkDatabase } from '../doctor'
import { notedFigures } from './figures'

/** Checks the structure of the database. */
export const CheckDatabase = reader('system.check-database', 'long', ({ db }, _query: null) =>
  checkDatabase(db.sqlite, false),
)

/** Reads the figures of the last day. */
export const ReadFigures = reader('system.figures', 'list', notedFigures)
