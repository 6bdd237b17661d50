import { choicesOf, type GraphNode, type NodeOf } from '../../bot-flows/graph'
import { USUAL_RETRIES } from '../../bot-flows/node-config'
import type { Choice } from '../../bot-flows/model'
import { withPlainDigits } from '../../../../../lib/typed-text'
import { spoken } from '../../../../../lib/whole-words'
import { textMessage } from '../drafts'
import type { Session, TraceRow, Turn } from '../model'
import { renderText } from '../render'
import { endSession, trace, waitFor, write, type Run } from '../run'
import { follow, placeOf, traceNode } from './advance'
import { setVariables } from './guards'
import type { NodeResult } from './node-result'
import { readAnswer } from './read-answer'
import { buttonsOf, interactiveOf, keepChoices, sendNode, type Built } from './send'

/** How often a form is sent again after an answer that is no form. */
const FORM_RETRIES = 3

/** Gives a turn to the node that waits for it. */
export function answerNode(run: Run, session: Session, turn: Turn): void {
  const at = placeOf(run, session)
  if (!at) {
    trace(run, { stage: 'flow', outcome: 'flow_gone', input: turn.text })
    return endSession(run, 'failed', 'flow_gone')
  }
  const row = traceNode(run, at.node, turn.text)
  const result = resultOf(run, session, { node: at.node, turn, row })
  if (result === 'repeated') {
    row.outcome = 'invalid'
    return waitFor(run, session, session.waitingFor)
  }
  if (isUnderstood(result)) run.isAnswered = true
  return follow(run, session, { ...at, row }, result)
}

/** Whether the turn answered the node. Otherwise it is answered by what follows, or by a person. */
const isUnderstood = (result: NodeResult): boolean =>
  result.kind !== 'next' || (result.outcome !== 'max_retries' && result.outcome !== 'error')

interface Answered {
  node: GraphNode
  turn: Turn
  row: TraceRow
}

function resultOf(run: Run, session: Session, at: Answered): NodeResult | 'repeated' {
  const { node, turn } = at
  switch (node.type) {
    case 'buttons': {
      const { store_as: name, max_retries: maxRetries, retry_message: again, body } = node.config
      const tapped = tapIn(turn, session, node)
      if (tapped) return store(session, name, tapped.title, `button:${tapped.id}`)
      return repeat(run, session, at, {
        maxRetries,
        question: () => buttonsOf(run, node, renderText(run, again) ?? renderText(run, body)),
      })
    }
    case 'prompt': {
      const { store_as: name, max_retries: maxRetries, validation_error: again, body } = node.config
      const answer = readAnswer(node.config, turn, run.ports)
      if (answer !== null) return store(session, name, answer.value, 'default')
      return repeat(run, session, at, {
        maxRetries,
        question: () => {
          const text = renderText(run, again) ?? renderText(run, body)
          return text === null ? { problem: 'empty_text' } : { input: textMessage(text) }
        },
      })
    }
    case 'whatsapp_flow':
      return answerForm(run, session, node, at)
    case 'interactive':
      return answerInteractive(run, session, node, at)
    default:
      return { kind: 'next', outcome: 'error', error: 'not_waiting' }
  }
}

/**
 * Asks again, or goes on with the outcome `max_retries` after too many answers that did not fit. A
 * question that would be refused is the outcome `error`.
 */
function repeat(
  run: Run,
  session: Session,
  { node, row }: Answered,
  { maxRetries, question }: { maxRetries: number | null | undefined; question: () => Built },
): NodeResult | 'repeated' {
  if (session.state.retries >= (maxRetries ?? USUAL_RETRIES))
    return { kind: 'next', outcome: 'max_retries' }
  const built = question()
  if (!('input' in built))
    return { kind: 'next', outcome: 'error', error: 'problem' in built ? built.problem : null }
  const refusal = run.ports.refusalOf(built.input)
  if (refusal !== null) return { kind: 'next', outcome: 'error', error: refusal }
  session.state.retries += 1
  write(run, built.input, row)
  run.isAnswered = true
  keepChoices(run, node, built.input)
  return 'repeated'
}

/** Stores an answer and goes on. */
function store(
  session: Session,
  name: string | null | undefined,
  value: unknown,
  outcome: string,
): NodeResult {
  const tooMuch = name == null ? null : setVariables(session, { [name]: value })
  return tooMuch === null ? { kind: 'next', outcome } : { kind: 'loop', error: tooMuch }
}

/** Returns the choice of a tap, or of a text that is its title, a synonym or its number. */
function tapIn(
  turn: Turn,
  session: Session,
  node: NodeOf<'buttons'> | NodeOf<'interactive'>,
): Choice | null {
  const choices = session.state.choices ?? choicesOf(node)
  const tapped = choices.find(({ id }) => id === turn.tap?.id)
  if (tapped) return tapped
  const said = spoken(turn.text ?? '')
  if (said === '') return null
  const number = withPlainDigits(said)
  return (
    namedIn(said, choices, node) ??
    (/^\d{1,2}$/.test(number) ? (choices[Number(number) - 1] ?? null) : null)
  )
}

/** Returns the choice whose title or synonym was said. */
function namedIn(
  said: string,
  choices: readonly Choice[],
  { config: { synonyms } }: NodeOf<'buttons'> | NodeOf<'interactive'>,
): Choice | null {
  return (
    choices.find(({ title }) => spoken(title) === said) ??
    choices.find(({ id }) => synonyms?.[id]?.some((word) => spoken(word) === said)) ??
    null
  )
}

/** Whether the node offers a text as an answer: it is the title of a choice or a synonym. */
export const offersText = (node: GraphNode, state: Session['state'], text: string): boolean =>
  (node.type === 'buttons' || node.type === 'interactive') &&
  namedIn(spoken(text), state.choices ?? choicesOf(node), node) !== null

/** Reports whether the turn taps a button or a row of the node that waits, whatever its title says. */
export function isTapOnNode(run: Pick<Run, 'ports'>, session: Session, { tap }: Turn): boolean {
  if (tap === null || session.waitingFor !== 'reply') return false
  const node = placeOf(run, session)?.node
  return node !== undefined && choicesOf(node).some(({ id }) => id === tap.id)
}

/** A form that is answered by anything else is sent again. */
function answerForm(
  run: Run,
  session: Session,
  node: NodeOf<'whatsapp_flow'>,
  { turn, row }: Answered,
): NodeResult | 'repeated' {
  const { form } = turn
  if (form && (form.flowId === null || form.flowId === node.config.flow_id))
    return store(session, node.config.store_as ?? 'form', form.data, 'default')
  if (session.state.retries >= FORM_RETRIES) return { kind: 'next', outcome: 'error' }
  session.state.retries += 1
  const sent = sendNode(run, node, row)
  return sent.kind === 'wait' ? 'repeated' : sent
}

/** What answers an interactive message without choices, by its type. */
const ASKED_FOR: Readonly<Record<string, (turn: Turn) => unknown>> = {
  location_request: (turn) => turn.location,
  contact_request: (turn) => turn.contacts,
  product: (turn) => turn.order,
  product_list: (turn) => turn.order,
  catalog: (turn) => turn.order,
}

/** Without `max_retries` everything is an answer, else only what the message asks for. */
function answerInteractive(
  run: Run,
  session: Session,
  node: NodeOf<'interactive'>,
  at: Answered,
): NodeResult | 'repeated' {
  const { turn } = at
  const { store_as: name, max_retries: maxRetries, retry_message: again, interactive } = node.config
  const tapped = tapIn(turn, session, node)
  if (tapped) return store(session, name, tapped.title, `button:${tapped.id}`)
  if (maxRetries == null) {
    const value = turn.location ?? turn.contacts ?? turn.order ?? turn.media ?? turn.text
    return store(session, name, value, 'default')
  }
  const given = ASKED_FOR[String(interactive['type'])]?.(turn) ?? null
  if (given !== null) return store(session, name, given, 'default')
  return repeat(run, session, at, {
    maxRetries,
    question: () => interactiveOf(run, node, renderText(run, again)),
  })
}
