import type { GraphNode, NodeOf } from '../../bot-flows/graph'
import { normalText } from '../../../../lib/whole-words'
import { listOf, objectOf, wordOf } from '../../../../platform/lenient-json'
import { textMessage } from '../drafts'
import type { Session, TraceRow, Turn } from '../model'
import { renderText } from '../render'
import { endSession, trace, waitFor, write, type Run } from '../run'
import { follow, placeOf, traceNode } from './advance'
import { setVariables } from './guards'
import type { NodeResult } from './node-result'
import { readAnswer } from './read-answer'
import { buttonsOf, sendNode } from './send'

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
  run.isAnswered = true
  return follow(run, session, { ...at, row }, result)
}

interface Answered {
  node: GraphNode
  turn: Turn
  row: TraceRow
}

function resultOf(run: Run, session: Session, at: Answered): NodeResult | 'repeated' {
  const { node, turn, row } = at
  switch (node.type) {
    case 'buttons': {
      const { buttons, max_retries: maxRetries, retry_message: again, body } = node.config
      const tapped = tapIn(turn, buttons)
      if (tapped) return store(session, node.config.store_as, tapped.title, `button:${tapped.id}`)
      let problem: NodeResult | null = null
      const repeated = repeat(run, session, { maxRetries, outcome: 'max_retries' }, () => {
        const built = buttonsOf(run, node, again ?? body)
        if (!('input' in built)) return
        const refusal = run.ports.refusalOf(built.input)
        if (refusal === null) write(run, built.input, row)
        else problem = { kind: 'next', outcome: 'error', error: refusal }
      })
      return problem ?? repeated
    }
    case 'prompt': {
      const { config } = node
      const answer = readAnswer(config, turn, run.ports)
      if (answer !== null) return store(session, config.store_as, answer.value, 'default')
      return repeat(
        run,
        session,
        { maxRetries: config.max_retries, outcome: 'max_retries' },
        () => {
          const text = renderText(run, config.validation_error ?? config.body)
          if (text !== null) write(run, textMessage(text), row)
        },
      )
    }
    case 'whatsapp_flow':
      return answerForm(run, session, node, at)
    case 'interactive':
      return answerInteractive(session, node, turn)
    default:
      return { kind: 'next', outcome: 'error', error: 'not_waiting' }
  }
}

/** Asks again, or goes on with an outcome after too many answers that did not fit. */
function repeat(
  run: Run,
  session: Session,
  { maxRetries, outcome }: { maxRetries: number; outcome: string },
  ask: () => void,
): NodeResult | 'repeated' {
  if (session.state.retries >= maxRetries) return { kind: 'next', outcome }
  session.state.retries += 1
  run.isAnswered = true
  ask()
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

interface Choice {
  id: string
  title: string
}

/** Returns the button of a tap, or of a text that is its title or its number. */
function tapIn(turn: Turn, buttons: readonly Choice[]): Choice | null {
  const tapped = buttons.find(({ id }) => id === turn.tap?.id)
  if (tapped) return tapped
  const said = normalText(turn.text ?? '')
  if (said === '') return null
  const named = buttons.find(({ title }) => normalText(title) === said)
  return named ?? (/^\d{1,2}$/.test(said) ? (buttons[Number(said) - 1] ?? null) : null)
}

/** Reports whether the turn taps a button or a row of the node that waits, whatever its title says. */
export function isTapOnNode(run: Pick<Run, 'ports'>, session: Session, { tap }: Turn): boolean {
  if (tap === null || session.waitingFor !== 'reply') return false
  const node = placeOf(run, session)?.node
  if (node?.type !== 'buttons' && node?.type !== 'interactive') return false
  const choices = node.type === 'buttons' ? node.config.buttons : rowsOf(node)
  return choices.some(({ id }) => id === tap.id)
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
  let problem: NodeResult | null = null
  const repeated = repeat(run, session, { maxRetries: FORM_RETRIES, outcome: 'error' }, () => {
    const sent = sendNode(run, node, row)
    if (sent.kind !== 'wait') problem = sent
  })
  return problem ?? repeated
}

function answerInteractive(
  session: Session,
  { config }: NodeOf<'interactive'>,
  turn: Turn,
): NodeResult {
  const tapped = tapIn(turn, rowsOf({ config }))
  if (tapped) return store(session, config.store_as, tapped.title, `button:${tapped.id}`)
  const value = turn.location ?? turn.contacts ?? turn.order ?? turn.media ?? turn.text
  return store(session, config.store_as, value, 'default')
}

/** Returns the rows of a list that a node sends. */
const rowsOf = ({ config }: Pick<NodeOf<'interactive'>, 'config'>): Choice[] =>
  listOf(config.interactive['sections'])
    .flatMap((section) => listOf(objectOf(section)['rows']))
    .flatMap((row): Choice[] => {
      const { id, title } = objectOf(row)
      const [key, label] = [wordOf(id), wordOf(title)]
      return key === null ? [] : [{ id: key, title: label ?? '' }]
    })
