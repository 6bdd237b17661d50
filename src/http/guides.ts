import analytics from '../docs/analytics.md' with { type: 'text' }
import backup from '../docs/backup-and-restore.md' with { type: 'text' }
import bot from '../docs/bot.md' with { type: 'text' }
import configure from '../docs/configure.md' with { type: 'text' }
import grow from '../docs/grow.md' with { type: 'text' }
import integrate from '../docs/integrate.md' with { type: 'text' }
import operate from '../docs/operate.md' with { type: 'text' }
import troubleshoot from '../docs/troubleshoot.md' with { type: 'text' }
import writeABot from '../docs/write-a-bot.md' with { type: 'text' }

/** A page of the documentation that the server shows at `/docs/<name>`. */
export interface Guide {
  name: string
  title: string
  summary: string
  /** The page as HTML. */
  html: () => string
}

/** In the source the pages link to each other as files; a server shows them without the ending. */
const withServedLinks = (html: string): string =>
  html.replaceAll(/href="([\w-]+)\.md(#[\w-]+)?"/g, 'href="$1$2"')

const guide = (
  name: string,
  title: string,
  { summary, text }: { summary: string; text: string },
): Guide => {
  let made: string | undefined
  return {
    name,
    title,
    summary,
    html: () => (made ??= withServedLinks(Bun.markdown.html(text, { headings: { ids: true } }))),
  }
}

/** The pages of `src/docs` for users of the server, in listing order. */
export const GUIDES: readonly Guide[] = [
  guide('integrate', 'Integrate', {
    summary: 'connect a phone number, send, listen, and ask with Flows.',
    text: integrate,
  }),
  guide('bot', 'The bot', {
    summary: 'conversation flows, templates and expressions of the built-in bot.',
    text: bot,
  }),
  guide('write-a-bot', 'Write a bot', {
    summary: 'listen to messages and answer them, in TypeScript and in Python.',
    text: writeABot,
  }),
  guide('analytics', 'Analytics', {
    summary: 'what every figure of the reports means.',
    text: analytics,
  }),
  guide('operate', 'Operate', {
    summary: 'behind Caddy, nginx or HAProxy, with systemd, Docker and Litestream.',
    text: operate,
  }),
  guide('configure', 'Configure', { summary: 'every setting.', text: configure }),
  guide('backup-and-restore', 'Back up and restore', {
    summary: 'backups, restore, upgrade.',
    text: backup,
  }),
  guide('grow', 'Grow', { summary: 'delete an organization.', text: grow }),
  guide('troubleshoot', 'Troubleshoot', {
    summary: 'what to do when something does not work.',
    text: troubleshoot,
  }),
]
