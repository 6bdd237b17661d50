/**
 * Fails when a `table.ts` or an `additions.sql` has a change that no migration in `drizzle/` carries.
 * Changes nothing.
 */
import { schemaDifferences } from '../drizzle/baseline/schema'

const differences = schemaDifferences()
process.stdout.write(
  differences.length === 0
    ? 'migrations are up to date\n'
    : `tables have changes without a migration; run \`bun run db:generate\`:\n${differences.join('\n')}\n`,
)
process.exitCode = differences.length === 0 ? 0 : 1
