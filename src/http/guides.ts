import operate from '../docs/operate.md' with { type: 'text' }
import writeABot from '../docs/write-a-bot.md' with { type: 'text' }

/** A page of the documentation that the server shows at `/docs/<name>`. */
export interface Guide {
  name: string
  title: string
  summary: string
  /** The page as HTML. */
  html: () => string
}

const guide = (name: string, title: string, { summary, text }: { summary: string; text: string }): Guide => {
  let made: string | undefined
  return { name, title, summary, html: () => (made ??= Bun.markdown.html(text)) }
}

/** The pages of `src/docs` for people who use the server, in the order in which they are listed. */
export const GUIDES: readonly Guide[] = [
  guide('write-a-bot', 'Write a bot', { summary: 'listen to messages and answer them, in TypeScript and in Python.', text: writeABot }),
  guide('operate', 'Operate', { summary: 'behind Caddy, nginx or HAProxy, with systemd, Docker and Litestream.', text: operate }),
]
