import { languageAmong } from '../../../../lib/by-language'
import { choicesOf, nodeOf, waits } from '../bot-flows/graph'
import type { FlowVersion } from '../bot-flows/queries'
import type { Session } from './model'
import type { BotTransfer } from './ports'
import { renderText } from './render'
import type { Run } from './run'

/** What stands before the words of the customer and of the bot, by the language of the organization. */
const LABELS: Readonly<Record<string, { wrote: string; asked: string }>> = {
  ar: { wrote: 'آخر سؤال', asked: 'سأل البوت' },
  de: { wrote: 'Letzte Frage', asked: 'Der Bot fragte' },
  en: { wrote: 'Last question', asked: 'The bot asked' },
  es: { wrote: 'Última pregunta', asked: 'El bot preguntó' },
  fr: { wrote: 'Dernière question', asked: 'Le bot a demandé' },
  hi: { wrote: 'अंतिम प्रश्न', asked: 'बॉट ने पूछा' },
  id: { wrote: 'Pertanyaan terakhir', asked: 'Bot bertanya' },
  it: { wrote: 'Ultima domanda', asked: 'Il bot ha chiesto' },
  pt: { wrote: 'Última pergunta', asked: 'O bot perguntou' },
  tr: { wrote: 'Son soru', asked: 'Bot sordu' },
}

/** Lengths in characters, and the most variables that are listed. */
const LIMITS = { line: 500, value: 200, variables: 30, notes: 4_096 }

/**
 * Returns what a person should know who takes over from the bot: what the customer asked last, what
 * a flow was asking, and the answers that it has collected; `null` if that is nothing.
 */
export function handOverNotes(run: Run, { source }: BotTransfer): string | null {
  const { session, ports } = run
  const { wrote, asked } = LABELS[languageAmong(LABELS, [ports.language])] ?? {}
  const flow =
    session?.flowId != null && session.flowVersion !== null
      ? ports.flowVersion(session.flowId, session.flowVersion)
      : null
  const lines = [
    line(wrote, source === 'flow' ? null : lastQuestion(run, source)),
    line(asked, session && flow && openQuestion(run, session, flow)),
    ...(session ? collected(run, session, flow) : []),
  ].filter((each) => each !== null)
  return lines.length === 0 ? null : cut(lines.join('\n'), LIMITS.notes)
}

const cut = (text: string, length: number): string => {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}

const line = (label: string | undefined, text: string | null): string | null =>
  text === null || text.trim() === '' ? null : `${label}: ${cut(text.trim(), LIMITS.line)}`

/** Words up to which a message that asks for a person says nothing else. */
const FEW_WORDS = 3

/** What the customer asked last: who asks for a person has often asked the question before. */
function lastQuestion({ session, turn }: Run, source: BotTransfer['source']): string | null {
  const text = turn?.text ?? null
  const saysMore = text !== null && text.trim().split(/\s+/).length > FEW_WORDS
  return source === 'keyword' && !saysMore ? (session?.state.question ?? null) : text
}

/** The question that a flow waited with, as the customer saw it. */
function openQuestion(run: Run, session: Session, { graph }: FlowVersion): string | null {
  const node = session.node === null ? null : nodeOf(graph, session.node)
  if (!node || !waits(node) || node.type === 'delay') return null
  const { body, interactive } = node.config as {
    body?: string
    interactive?: { body?: unknown }
  }
  const text = renderText(
    run,
    body ?? (typeof interactive?.body === 'string' ? interactive.body : null),
  )
  const titles = (session.state.choices ?? choicesOf(node)).map(({ title }) => title)
  return text === null || titles.length === 0 ? text : `${text} [${titles.join(', ')}]`
}

/** The answers of a session, a line each, named as in the panel of the flow. */
function collected(run: Run, session: Session, flow: FlowVersion | null): string[] {
  const fields = flow?.settings.panel?.sections.flatMap((section) => section.fields) ?? []
  const labels = new Map(fields.map(({ key, label }) => [key, label]))
  return Object.entries(session.variables)
    .slice(0, LIMITS.variables)
    .flatMap(([name, value]) => {
      const text = renderText(run, '{{ collected }}', { collected: value })
      return text === null ? [] : [`${labels.get(name) ?? name}: ${cut(text, LIMITS.value)}`]
    })
}
