import { SMTPServer } from 'smtp-server'

/** A mail as it arrived. */
export interface Mail {
  to: string[]
  from: string
  /** Headers and text, decoded. */
  text: string
  /** The link in it. */
  link: string
}

/** A real SMTP server in this process, with a user and a password. */
export interface Mailbox {
  url: string
  mails: Mail[]
  /** SMTP status for the next mails; `null` accepts them. */
  refusal: number | null
  /** Runs when an email has arrived, before the sender is told. */
  beforeAnswer: (() => Promise<void>) | null
  stop(): Promise<void>
}

const USER = 'postman'
const SECRET = 'smtp-pass-word'

/** Undoes quoted-printable. */
const decoded = (raw: string): string =>
  Buffer.from(
    raw
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** Starts an SMTP server that keeps received mails. */
export async function startMailbox(): Promise<Mailbox> {
  const box: Mailbox = {
    url: '',
    mails: [],
    refusal: null,
    beforeAnswer: null,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === USER && auth.password === SECRET) return done(null, { user: USER })
      return done(new Error('wrong user or password'))
    },
    onRcptTo(_address, _session, done) {
      if (box.refusal === null) return done()
      return done(Object.assign(new Error('refused'), { responseCode: box.refusal }))
    },
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const text = decoded(Buffer.concat(parts).toString('utf8'))
        const { mailFrom, rcptTo } = session.envelope
        box.mails.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom ? mailFrom.address : '',
          text,
          link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
        })
        Promise.resolve(box.beforeAnswer?.()).then(() => done(), done)
      })
    },
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', () => listening.resolve())
  await listening.promise
  const { port } = server.server.address() as { port: number }
  box.url = `smtp://${USER}:${SECRET}@127.0.0.1:${port}`
  return box
}
