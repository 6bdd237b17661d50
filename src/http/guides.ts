import { posix } from 'node:path'

import architecture from '../ARCHITECTURE.md' with { type: 'text' }
import changelog from '../CHANGELOG.md' with { type: 'text' }
import decision1 from '../decisions/0001-one-process-one-file.md' with { type: 'text' }
import decision2 from '../decisions/0002-answer-webhooks-after-the-commit.md' with { type: 'text' }
import decision3 from '../decisions/0003-jobs-in-the-same-database.md' with { type: 'text' }
import decision4 from '../decisions/0004-one-synchronous-transaction-per-verb.md' with { type: 'text' }
import decision5 from '../decisions/0005-tenants-in-every-key.md' with { type: 'text' }
import decision6 from '../decisions/0006-guard-before-validation.md' with { type: 'text' }
import decision7 from '../decisions/0007-a-numbered-event-log.md' with { type: 'text' }
import decision8 from '../decisions/0008-idempotency-in-the-transaction.md' with { type: 'text' }
import decision9 from '../decisions/0009-front-door-tests.md' with { type: 'text' }
import decision10 from '../decisions/0010-prove-crash-safety-by-killing.md' with { type: 'text' }
import dependencies from '../decisions/dependencies.md' with { type: 'text' }
import analytics from '../docs/analytics.md' with { type: 'text' }
import backup from '../docs/backup-and-restore.md' with { type: 'text' }
import bot from '../docs/bot.md' with { type: 'text' }
import configure from '../docs/configure.md' with { type: 'text' }
import grow from '../docs/grow.md' with { type: 'text' }
import integrate from '../docs/integrate.md' with { type: 'text' }
import meta from '../docs/meta.md' with { type: 'text' }
import operate from '../docs/operate.md' with { type: 'text' }
import start from '../docs/start.md' with { type: 'text' }
import troubleshoot from '../docs/troubleshoot.md' with { type: 'text' }
import writeABot from '../docs/write-a-bot.md' with { type: 'text' }

/** A page of the documentation that the server shows at `/docs/<name>`. */
export interface Guide {
  name: string
  title: string
  /** The page as HTML. */
  html: () => string
}

/** A Markdown file, by its path below `src`, and the page that shows it. */
interface Source {
  path: string
  name: string
  title: string
  text: string
}

const ofUsers: [name: string, title: string, text: string][] = [
  ['start', 'Start', start],
  ['meta', 'From a Meta account to the first message', meta],
  ['integrate', 'Integrate', integrate],
  ['bot', 'The bot', bot],
  ['write-a-bot', 'Write a bot', writeABot],
  ['analytics', 'Analytics', analytics],
  ['operate', 'Operate', operate],
  ['configure', 'Configure', configure],
  ['backup-and-restore', 'Back up and restore', backup],
  ['grow', 'Grow', grow],
  ['troubleshoot', 'Troubleshoot', troubleshoot],
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

const decisions: Source[] = decided.map(([name, text]) => ({
  path: `decisions/${name}.md`,
  name: `decisions/${name}`,
  title: titleOf(text),
  text,
}))

/** The pages that are listed, in their order. */
const listed: Source[] = [
  ...ofUsers.map(([name, title, text]) => ({ path: `docs/${name}.md`, name, title, text })),
  { path: 'CHANGELOG.md', name: 'changelog', title: 'Changelog', text: changelog },
  { path: 'ARCHITECTURE.md', name: 'architecture', title: 'Architecture', text: architecture },
  {
    path: 'decisions/README.md',
    name: 'decisions',
    title: 'Decisions',
    text: `# Decisions\n\nThe reasons behind the design.\n\n${decisions
      .map(({ path, title }) => `- [${title}](${posix.basename(path)})`)
      .join('\n')}\n`,
  },
]

const sources = [...listed, ...decisions]

/**
 * In the source the files link to each other by their paths; a server shows their pages. The text of
 * a link to another file stays.
 */
function withServedLinks(html: string, { path, name }: Source): string {
  return html.replaceAll(
    /<a href="(?!https?:|\/|#)([^"#]+)(#[^"]*)?">(.*?)<\/a>/gs,
    (_whole, href: string, hash: string | undefined, text: string) => {
      const target = posix.join(posix.dirname(path), href).replace(/\/$/, '/README.md')
      const page = sources.find((source) => source.path === target)
      if (!page) return text
      const from = posix.dirname(name)
      const link = posix.relative(from, page.name) || `../${posix.basename(from)}`
      return `<a href="${link}${hash ?? ''}">${text}</a>`
    },
  )
}

function guideOf(source: Source): Guide {
  const { name, title, text } = source
  let made: string | undefined
  const html = (): string =>
    (made ??= withServedLinks(Bun.markdown.html(text, { headings: { ids: true } }), source))
  return { name, title, html }
}

/** Pages that are listed: those for users of the server, then those about its source. */
export const GUIDES: readonly Guide[] = listed.map(guideOf)

/** All pages. */
export const PAGES: readonly Guide[] = sources.map(guideOf)
