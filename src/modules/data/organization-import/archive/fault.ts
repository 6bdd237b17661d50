import { InvalidError } from '../../../../lib/errors'

/** Where a fault is: an entry of the archive, the line in it from 1, and its column. */
export interface ArchivePlace {
  file: string
  line?: number
  field?: string
}

export const ARCHIVE_FAULTS = [
  '400 not_an_archive',
  '400 archive_newer',
  '400 archive_damaged',
  '400 wrong_passphrase',
  '400 archive_invalid',
] as const

type FaultCode =
  | 'not_an_archive'
  | 'archive_newer'
  | 'archive_damaged'
  | 'wrong_passphrase'
  | 'archive_invalid'

/** An archive that cannot be imported: 400 with the entry, the line and the column. */
export class ArchiveFault extends InvalidError {
  constructor(code: FaultCode, message: string, place?: ArchivePlace) {
    super(message, { code, ...(place === undefined ? {} : { details: { ...place } }) })
  }
}

const where = ({ file, line }: ArchivePlace): string =>
  line === undefined ? file : `${file}, line ${line}`

/** Returns the fault of an entry whose bytes are not those that were written. */
export const damaged = (message: string, place?: ArchivePlace): ArchiveFault =>
  new ArchiveFault(
    'archive_damaged',
    `The archive is damaged: ${place === undefined ? '' : `${where(place)} `}${message}.`,
    place,
  )

/** Returns the fault of a part or a row that does not fit the database. */
export const invalid = (message: string, place: ArchivePlace): ArchiveFault =>
  new ArchiveFault('archive_invalid', `${where(place)}: ${message}.`, place)

/** Returns the fault of a value that its column does not take. `problem` is what it must be. */
export const wrongValue = (field: string, problem: string, place: ArchivePlace): ArchiveFault =>
  invalid(`\`${field}\` ${problem}`, { ...place, field })

/** Why a membership is refused if the archive has only the name of its person. */
export const NO_MEMBER = 'refers to a person who is no member in the archive'
