import type { Config } from './config'
import { readSecretFile, writeSecretFile, type DataDir } from './infra/data-dir'
import { createSealer, type RootKeys } from './lib/secret'

/** The file in the data folder that names the key of which a sheet was made. */
const MADE_FILE = 'recovery-sheet'

/** What the operator is told until a sheet of the present key was made. */
const SHEET_ADVICE =
  'Run "switchboard recovery-sheet" once and keep what it prints, apart from the backups: they do not ' +
  'contain the secret key.'

/** Returns the ID of a key, which the database names, too. It tells nothing of the key. */
export const sheetKeyId = (roots: RootKeys): string => createSealer(roots).currentKeyId

/** Whether a sheet of the present key was made. */
const hasSheet = (dir: Pick<DataDir, 'path'>, roots: RootKeys): boolean =>
  readSecretFile(dir, MADE_FILE) === sheetKeyId(roots)

/** Remembers that a sheet of the present key was made. A new key needs a new sheet. */
export const rememberSheet = (dir: Pick<DataDir, 'path'>, roots: RootKeys): void =>
  void writeSecretFile(dir, MADE_FILE, sheetKeyId(roots))

/**
 * Returns the advice for a server that keeps its key itself; none for a key in the environment, which
 * its operator has chosen and keeps elsewhere.
 */
export const sheetAdvice = (
  { secretKey }: Pick<Config, 'secretKey'>,
  dir: Pick<DataDir, 'path'>,
  roots: RootKeys,
): string[] => (secretKey === null && !hasSheet(dir, roots) ? [SHEET_ADVICE] : [])
