import { listAllOrganizations, listAllUsers } from '../modules/users/cli'
import { withProgram } from './database'
import { print, table, toMinute, UsageError, type Command } from './command'

/** Accepts `list` as the only subcommand. Throws UsageError otherwise. */
function requireList(name: string, [verb = 'list']: string[]): void {
  if (verb !== 'list') throw new UsageError(`unknown command "${name} ${verb}"`)
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

/** Lists every organization of the installation. */
export const organizations: Command = {
  name: 'organization',
  forms: [['organization list', 'list organizations']],
  flags: {},
  words: 1,
  async run(invocation) {
    const { words, isJson } = invocation
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
