import { posix } from 'node:path'

import architecture from '../../ARCHITECTURE.md' with { type: 'text' }
import changelog from '../../CHANGELOG.md' with { type: 'text' }
import decision1 from '../../decisions/0001-one-process-one-file.md' with { type: 'text' }
import decision2 from '../../decisions/0002-answer-webhooks-after-the-commit.md' with { type: 'text' }
import decision3 from '../../decisions/0003-jobs-in-the-same-database.md' with { type: 'text' }
import decision4 from '../../decisions/0004-one-synchronous-transaction-per-verb.md' with { type: 'text' }
import decision5 from '../../decisions/0005-tenants-in-every-key.md' with { type: 'text' }
import decision6 from '../../decisions/0006-guard-before-validation.md' with { type: 'text' }
import decision7 from '../../decisions/0007-a-numbered-event-log.md' with { type: 'text' }
import decision8 from '../../decisions/0008-idempotency-in-the-transaction.md' with { type: 'text' }
import decision9 from '../../decisions/0009-front-door-tests.md' with { type: 'text' }
import decision10 from '../../decisions/0010-prove-crash-safety-by-killing.md' with { type: 'text' }
import dependencies from '../../decisions/dependencies.md' with { type: 'text' }
import agents from '../../docs/agents.md' with { type: 'text' }
import campaigns from '../../docs/campaigns.md' with { type: 'text' }
import contacts from '../../docs/contacts.md' with { type: 'text' }
import privacy from '../../docs/privacy.md' with { type: 'text' }
import roles from '../../docs/roles.md' with { type: 'text' }
import templates from '../../docs/templates.md' with { type: 'text' }
import analytics from '../../docs/analytics.md' with { type: 'text' }
import backup from '../../docs/backup-and-restore.md' with { type: 'text' }
import bot from '../../docs/bot.md' with { type: 'text' }
import configure from '../../docs/configure.md' with { type: 'text' }
import comeFrom from '../../docs/come-from.md' with { type: 'text' }
import logs from '../../docs/logs.md' with { type: 'text' }
import monitor from '../../docs/monitor.md' with { type: 'text' }
import questions from '../../docs/questions.md' with { type: 'text' }
import security from '../../docs/security.md' with { type: 'text' }
import size from '../../docs/size.md' with { type: 'text' }
import errors from '../../docs/errors.md' with { type: 'text' }
import archive from '../../docs/archive.md' with { type: 'text' }
import deletion from '../../docs/delete-organization.md' with { type: 'text' }
import exportAndImport from '../../docs/export-and-import.md' with { type: 'text' }
import move from '../../docs/move-organization.md' with { type: 'text' }
import secondServer from '../../docs/second-server.md' with { type: 'text' }
import standBy from '../../docs/stand-by.md' with { type: 'text' }
import integrate from '../../docs/integrate.md' with { type: 'text' }
import meta from '../../docs/meta.md' with { type: 'text' }
import operate from '../../docs/operate.md' with { type: 'text' }
import start from '../../docs/start.md' with { type: 'text' }
import troubleshoot from '../../docs/troubleshoot.md' with { type: 'text' }
import writeABot from '../../docs/write-a-bot.md' with { type: 'text' }

/** A Markdown file that the documentation shows. */
export interface GuideSource {
  /** Its path below `src`. */
  path: string
  /** Its address below `/docs`. */
  name: string
  title: string
  text: string
  /** The group of the sidebar that lists it; `null` for pages that another page lists. */
  group: string | null
}

/** Guides by the groups of the sidebar, in the order in which they are read. */
const GROUPS: [group: string, guides: [name: string, title: string, text: string][]][] = [
  [
    'Start',
    [
      ['start', 'Start', start],
      ['meta', 'From a Meta account to the first message', meta],
      ['come-from', 'Come from Chatwoot, whatomate, Wati', comeFrom],
      ['questions', 'Questions', questions],
    ],
  ],
  [
    'In the shop',
    [
      ['agents', 'For agents', agents],
      ['contacts', 'Contacts and import', contacts],
      ['templates', 'Templates', templates],
      ['campaigns', 'Campaigns', campaigns],
      ['bot', 'The bot', bot],
      ['analytics', 'Analytics', analytics],
      ['roles', 'Roles and permissions', roles],
      ['privacy', 'Privacy and GDPR', privacy],
    ],
  ],
  [
    'Connect',
    [
      ['integrate', 'Connect your systems', integrate],
      ['write-a-bot', 'Write a bot', writeABot],
      ['errors', 'Error codes', errors],
    ],
  ],
  [
    'Operate',
    [
      ['operate', 'Operate', operate],
      ['configure', 'Configure', configure],
      ['backup-and-restore', 'Back up and restore', backup],
      ['logs', 'Logs', logs],
      ['monitor', 'Monitor', monitor],
      ['stand-by', 'Stand by', standBy],
      ['security', 'Security model', security],
      ['size', 'Size and cost', size],
      ['troubleshoot', 'Troubleshoot', troubleshoot],
    ],
  ],
  [
    'Grow',
    [
      ['second-server', 'A second server', secondServer],
      ['move-organization', 'Move an organization', move],
      ['export-and-import', 'Export and import', exportAndImport],
      ['delete-organization', 'Delete an organization', deletion],
      ['archive', 'The archive', archive],
    ],
  ],
]

const decided: [name: string, text: string][] = [
  ['0001-one-process-one-file', decision1],
  ['0002-answer-webhooks-after-the-commit', decision2],
  ['0003-jobs-in-the-same-database', decision3],
  ['0004-one-synchronous-transaction-per-verb', decision4],
  ['0005-tenants-in-every-key', decision5],
  ['0006-guard-before-validation', decision6],
  ['0007-a-numbered-event-log', decision7],
  ['0008-idempotency-in-the-transaction', decision8],
  ['0009-front-door-tests', decision9],
  ['0010-prove-crash-safety-by-killing', decision10],
  ['dependencies', dependencies],
]

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? ''

const decisions: GuideSource[] = decided.map(([name, text]) => ({
  path: `decisions/${name}.md`,
  name: `decisions/${name}`,
  title: titleOf(text),
  text,
  group: null,
}))

/** The page that lists the decisions; in the source it is the folder. */
const DECISIONS = `# Decisions\n\nThe reasons behind the design.\n\n${decisions
  .map(({ path, title }) => `- [${title}](${posix.basename(path)})`)
  .join('\n')}\n`

const ABOUT: Omit<GuideSource, 'group'>[] = [
  { path: 'CHANGELOG.md', name: 'changelog', title: 'Changelog', text: changelog },
  { path: 'ARCHITECTURE.md', name: 'architecture', title: 'Architecture', text: architecture },
  { path: 'decisions/README.md', name: 'decisions', title: 'Decisions', text: DECISIONS },
]

/** All Markdown files, those of the sidebar in its order first. */
export const SOURCES: readonly GuideSource[] = [
  ...GROUPS.flatMap(([group, guides]) =>
    guides.map(([name, title, text]) => ({ path: `docs/${name}.md`, name, title, text, group })),
  ),
  ...ABOUT.map((source) => ({ ...source, group: 'About' })),
  ...decisions,
]

/** Addresses that pages had before, and where their content is now. */
export const MOVED: Readonly<Record<string, string>> = { grow: 'second-server' }
