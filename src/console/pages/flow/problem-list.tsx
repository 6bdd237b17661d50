import { PlainButton } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { Icon } from '../../parts/icons'
import { t } from '../../texts/texts'
import { nodeOf } from './model/graph'
import { withExample, type Problem } from './model/problems'
import { problemWords, wordWarning } from './problem-words'
import { useFlow } from './use-flow'
import { titleOf } from './words'

interface Props {
  /** Leads to a step, or to how the flow begins (`start`). */
  onChoose: (node: string, field: string | null) => void
}

/** What is wrong with a flow, and, folded, what is only to be known. Each leads to its step. */
export function ProblemList({ onChoose }: Props) {
  const { problems, flow, graph } = useFlow()
  const errors = problems.filter(({ isError }) => isError)
  const notes = problems.filter(({ isError }) => !isError)
  const examples = withExample(graph).map(({ id }) => ({
    ...{ node: id, field: null, condition: null, message: 'is an example', isError: false },
  }))
  const ofWords = flow.warnings.filter(({ path }) => !path.includes('graph'))
  if (problems.length + ofWords.length + examples.length === 0) return null
  return (
    <div className="flow-problems" role="group" aria-label={t('flow.problems')}>
      <List problems={[...errors, ...examples]} onChoose={onChoose} />
      {ofWords.map(({ path, message }) => (
        <PlainButton
          key={path}
          className="flow-problem"
          onPress={() => {
            onChoose('start', null)
          }}
        >
          <Icon name="info" size={16} />
          <span dir="auto">{wordWarning({ path, message }, flow.trigger_keywords)}</span>
        </PlainButton>
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
                {at && <b>{titleOf(at)}</b>} {problemWords(problem, graph)}
              </span>
            </PlainButton>
          </li>
        )
      })}
    </ul>
  )
}
