import { join } from 'node:path'

import { renderUnicodeCompact } from 'uqr'

import type { Config } from '../config'
import { openInstallation, type DataDir } from '../infra/data-dir'
import { requireReadableSecrets } from '../infra/keys/keyring'
import type { RootKeys } from '../lib/secret'
import { createSealer } from '../lib/secret'
import { rememberSheet, sheetKeyId } from '../recovery-sheet'
import { readRootKeys } from '../secrets'
import { openDatabase } from './database'
import { print, printFolder, type Command } from './command'

/** Prints the secret key on a page to keep. */
export const recoverySheet: Command = {
  name: 'recovery-sheet',
  forms: [['recovery-sheet', 'print the secret key on a page to keep, as text and as a QR code']],
  more:
    'No backup contains the secret key, and without it access tokens, second factors and other ' +
    'secrets in a\nbackup cannot be read. Print the page, or write the key down, and keep it apart ' +
    'from the backups. The\nserver and "doctor" name this command until it was used, and again ' +
    'when the key was changed.\n\nTo restore with it, write the key into the file secret.key in ' +
    'DATA_DIR, or set SECRET_KEY; spaces and\ncapital letters make no difference.',
  flags: {},
  words: 0,
  run({ isJson, config }) {
    const settings = config()
    const dir = openInstallation(settings.dataDir)
    const roots = readRootKeys(settings, dir)
    requireOwnKey(settings, dir, roots)
    const isInFile = settings.secretKey === null
    const sheet = {
      key: roots.current.toString('hex'),
      key_id: sheetKeyId(roots),
      base_url: settings.baseUrl,
      source: isInFile ? join(dir.path, 'secret.key') : 'SECRET_KEY',
      has_previous: roots.previous !== null,
    }
    printFolder(dir.path, isJson)
    if (isJson) print(JSON.stringify(sheet))
    else process.stdout.write(sheetText(sheet))
    rememberSheet(dir, roots)
  },
}

/** A sheet of another key would be found out when it is needed. Throws WrongKeyError. */
function requireOwnKey(settings: Config, dir: DataDir, roots: RootKeys): void {
  const db = openDatabase(settings, dir.databasePath)
  try {
    requireReadableSecrets({ db, vault: createSealer(roots) })
  } finally {
    db.sqlite.close()
  }
}

interface Sheet {
  key: string
  key_id: string
  base_url: string
  source: string
  has_previous: boolean
}

/** Groups in a line. */
const GROUPS = 4

function sheetText(sheet: Sheet): string {
  const groups = sheet.key.match(/.{1,4}/g) ?? []
  const lines = Array.from({ length: Math.ceil(groups.length / GROUPS) }, (_, line) =>
    groups.slice(line * GROUPS, (line + 1) * GROUPS).join(' '),
  )
  const isInFile = sheet.source !== 'SECRET_KEY'
  return `
SWITCHBOARD RECOVERY SHEET

Server    ${sheet.base_url}
Key ID    ${sheet.key_id}
Kept in   ${isInFile ? sheet.source : 'the environment variable SECRET_KEY'}

Key       ${lines.join('\n          ')}

${qrCode(sheet.key.toUpperCase())}

This is the secret key of the server. No backup contains it. Without it, a backup is restored
without access tokens, second factors and other secrets, which then have to be entered again.

Print this page, or write the key down: digits and the letters a to f, nothing else. Keep it
apart from the backups. With both, everything can be read.
${sheet.has_previous ? FORMER_KEY : ''}
To restore a backup on another machine:
  1. Install Switchboard. Do not start it.
  2. ${isInFile ? INTO_FILE : INTO_VARIABLE}
  3. Run "switchboard restore BACKUP", with DATA_DIR set to the data folder. A wrong key is
     refused before anything changes.
  4. Set the other settings as they are here; no backup contains them either. If the file
     webhook-verify-token was not copied, enter what "switchboard webhook" prints at WhatsApp.
`
}

const FORMER_KEY = `
SECRET_KEY_PREVIOUS is set: backups from before the key was changed need the former key.
`

const INTO_FILE = `Create the data folder, and in it the file secret.key with the key above. Spaces, line
     breaks and capital letters make no difference. The QR code holds the same key.`

const INTO_VARIABLE = `Set SECRET_KEY to the key above, as it is here, or write the key into the file secret.key in
     the data folder. Spaces and capital letters make no difference. The QR code holds the same key.`

/** Modules around a code, by which readers find it. */
const QUIET = 4
const BLACK_ON_WHITE = '\u001B[30;107m'
const PLAIN = '\u001B[0m'

/** A code in ink: dark on light on paper, and in a terminal of any colors. */
function qrCode(text: string): string {
  const code = renderUnicodeCompact(text, { invert: true, border: QUIET, ecc: 'M' })
  if (!process.stdout.isTTY) return code
  return code
    .split('\n')
    .map((line) => `${BLACK_ON_WHITE}${line}${PLAIN}`)
    .join('\n')
}
