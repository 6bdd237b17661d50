import { listAllOrganizations, listAllUsers } from '../modules/users/cli'
import { withProgram } from './database'
import { importOrganization } from './import-organization'
import { print, table, toMinute, UsageError, type Command, type Invocation } from './command'

/** Accepts `list` as the only subcommand. Throws UsageError otherwise. */
function requireList(name: string, [verb = 'list']: string[]): void {
  if (verb !== 'list') throw new UsageError(`unknown command "${name} ${verb}"`)
}

function refuseImportFlags({ words, flags }: Invocation): void {
  const surplus = ['yes', 'passphrase-stdin'].find((name) => flags[name] !== undefined)
  if (surplus !== undefined)
    throw new UsageError(`unknown flag --${surplus} for "organization ${words[0] ?? 'list'}"`)
  if (words[1] !== undefined) throw new UsageError(`unknown argument "${words[1]}"`)
}

/** Lists every user of the installation. */
export const users: Command = {
  name: 'user',
  forms: [['user list', 'list users']],
  flags: {},
  words: 1,
  async run(invocation) {
    const { words, isJson } = invocation
    requireList('user', words)
    const rows = await withProgram(invocation, ({ http }) => listAllUsers(http))
    if (isJson) return print(JSON.stringify(rows))
    print(
      table(
        ['id', 'e-mail', 'name', 'member of', 'last sign-in', 'state'],
        rows.map((row) => [
          row.id,
          row.email,
          row.full_name,
          String(row.organizations),
          toMinute(row.last_login_at),
          [
            ...(row.is_super_admin ? ['super admin'] : []),
            ...(row.is_disabled ? ['disabled'] : []),
          ].join(', '),
        ]),
      ),
    )
  },
}

/** Organizations of the installation: list, import from an archive. */
export const organizations: Command = {
  name: 'organization',
  forms: [
    ['organization list', 'list organizations'],
    [
      'organization import FILE [--yes] [--passphrase-stdin]',
      'check an archive of an organization, and import it with --yes',
    ],
  ],
  more:
    'import: without --yes, the archive is only checked. The server may keep running; it does the ' +
    'work then.\nThe passphrase of the archive is read only from standard input ' +
    '(--passphrase-stdin), never from an argument.',
  flags: { yes: { type: 'boolean' }, 'passphrase-stdin': { type: 'boolean' } },
  words: 2,
  async run(invocation) {
    const { words, isJson } = invocation
    const [verb, file] = words
    if (verb === 'import') {
      if (file === undefined)
        throw new UsageError('organization import needs the path of an archive')
      return importOrganization(invocation, file)
    }
    refuseImportFlags(invocation)
    requireList('organization', words)
    const rows = await withProgram(invocation, ({ http }) => listAllOrganizations(http))
    if (isJson) return print(JSON.stringify(rows))
    print(
      table(
        ['id', 'slug', 'name', 'members', 'created'],
        rows.map((row) => [
          row.id,
          row.slug,
          row.name,
          String(row.members),
          toMinute(row.created_at),
        ]),
      ),
    )
  },
}
