import { PlainButton } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { Icon } from '../../parts/icons'
import { fieldSentence } from '../../parts/field-words'
import { t } from '../../texts/texts'
import { nodeOf } from './model/graph'
import type { Problem } from './model/problems'
import { labelOf } from './fields/shape'
import { useFlow } from './use-flow'
import { outcomeName, titleOf } from './words'

/** What the server says about a flow, in the words of people. */
const KNOWN: readonly [said: RegExp, inWords: (found: string[]) => string][] = [
  [/^cannot be reached/, () => t('flow.problem.unreachable')],
  [/^is in a loop in which no node waits/, () => t('flow.problem.loop')],
  [/^hands over to a person after max_retries/, () => t('flow.problem.person')],
  [
    /^must be followed by an edge|^needs an edge .*max_retries|max_retries/,
    () => t('flow.problem.retries'),
  ],
  [/^is required, or a `url`/, () => t('flow.problem.file')],
  [/^is required, or a `team_id`/, () => t('flow.problem.assign')],
  [/^must not be empty, or `remove`/, () => t('flow.problem.tags')],
  [/^must be a UUID|must match format 'uuid'|^is not a UUID/, () => t('flow.problem.choose')],
  [/^is not (?:a|an active) .* of this organization$/, () => t('flow.problem.gone')],
  [/^must be unique/, () => t('flow.problem.unique')],
  [/^lacks what the template needs/, () => t('flow.problem.params')],
  [/^is no custom field/, () => t('flow.problem.no-field')],
  [/^is not allowed: it/, () => t('flow.problem.address')],
  [/placeholders in its host/, () => t('flow.problem.host')],
  [/no open minute/, () => t('flow.problem.never-open')],
  [/no stored value|enter .* again|other host/, () => t('flow.problem.secret')],
]

/** Returns a problem in words, with the setting that it is about. */
function sentenceFor(
  { message, field, node }: Problem,
  graph: ReturnType<typeof useFlow>['graph'],
): string {
  const open = /^ends the flow after (.*): no edge follows$/.exec(message)
  const at = node === null ? undefined : nodeOf(graph, node)
  if (open && at) {
    const outcomes = (open[1] ?? '').split(', ').map((outcome) => outcomeName(at, outcome))
    return t('flow.problem.ends', { outcomes: outcomes.join(', ') })
  }
  const known = KNOWN.find(([said]) => said.test(message))
  const words = known ? known[1]([]) : fieldSentence(message)
  const name = field === null || at === undefined ? null : labelOf(at, wordOf(field))
  return name === null ? words : t('flow.problem.at', { name, words })
}

/** The name of a setting in the path of a problem. */
const wordOf = (field: string): string =>
  field.replace(/^interactive\./, '').split('.', 1)[0] ?? field

interface Props {
  onChoose: (node: string, field: string | null) => void
}

/** What is wrong with a flow, and, folded, what is only to be known. Each leads to its step. */
export function ProblemList({ onChoose }: Props) {
  const { problems, flow } = useFlow()
  const errors = problems.filter(({ isError }) => isError)
  const notes = problems.filter(({ isError }) => !isError)
  const ofWords = flow.warnings.filter(({ path }) => !path.includes('graph'))
  if (problems.length === 0 && ofWords.length === 0) return null
  return (
    <div className="flow-problems" role="group" aria-label={t('flow.problems')}>
      <List problems={errors} onChoose={onChoose} />
      {ofWords.map(({ path, message }) => (
        <p key={path} className="flow-problem" dir="auto">
          <Icon name="info" size={16} />
          {message}
        </p>
      ))}
      {notes.length > 0 && (
        <Disclosure title={t('flow.notes', { count: notes.length })}>
          {() => <List problems={notes} onChoose={onChoose} />}
        </Disclosure>
      )}
    </div>
  )
}

function List({ problems, onChoose }: Props & { problems: readonly Problem[] }) {
  const { graph } = useFlow()
  return (
    <ul>
      {problems.map((problem, index) => {
        const { node, field, isError } = problem
        const at = node === null ? undefined : nodeOf(graph, node)
        return (
          <li key={index}>
            <PlainButton
              className={isError ? 'flow-problem error' : 'flow-problem'}
              isDisabled={at === undefined}
              onPress={() => {
                if (at) onChoose(at.id, field)
              }}
            >
              <Icon name={isError ? 'warning' : 'info'} size={16} />
              <span dir="auto">
                {at && <b>{titleOf(at)}</b>} {sentenceFor(problem, graph)}
              </span>
            </PlainButton>
          </li>
        )
      })}
    </ul>
  )
}
