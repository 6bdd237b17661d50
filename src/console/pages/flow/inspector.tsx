import { useState } from 'react'

import { Button } from '../../parts/button'
import { Form, TextField } from '../../parts/field'
import { t } from '../../texts/texts'
import { Settings } from './fields/field'
import { changeNodes, configure, connect, remove } from './model/commands'
import { DEFAULT, targetOf, type Node } from './model/graph'
import { kindOf } from './model/kinds'
import { isRare, outcomesOf } from './model/outcomes'
import { isGap, settingWords } from './problem-words'
import { Side } from './side'
import { StepSelect } from './step-select'
import { useFlow } from './use-flow'
import { kindName, KIND_ICONS, outcomeName } from './words'

interface Props {
  node: Node
  /** Whether it is said at the fields what is still to be written. */
  showsGaps: boolean
  /** Called with the id of a step that was added behind it. */
  onAdded: (id: string) => void
  onClose: () => void
}

/** Everything about one step: what it does, and where it leads. */
export function Inspector({ node, showsGaps, onAdded, onClose }: Props) {
  const { graph, store, problems, isEditable } = useFlow()
  const kind = kindOf(node)
  const wrong = Object.fromEntries(
    problems
      .filter(
        (one) =>
          one.node === node.id &&
          one.field !== null &&
          one.isError &&
          (showsGaps || !isGap(one, graph)),
      )
      .map((one) => [one.field ?? '', settingWords(one, graph)]),
  )
  return (
    <Side label={t('flow.step')} title={kindName(kind)} icon={KIND_ICONS[kind]} onClose={onClose}>
      <div className="flow-side-body">
        <p className="muted">{t(`flow.help.${kind}`)}</p>
        {/* what is written later is a step of its own, also in the same field */}
        <fieldset className="flow-plain" disabled={!isEditable} onBlur={store.settle}>
          <Form onSubmit={store.settle} validationErrors={wrong}>
            <Settings
              key={node.id}
              node={node}
              onChange={(config, path) => {
                store.change(configure(graph, node.id, config), `${node.id}.${path}`)
              }}
            />
            <Ways node={node} onAdded={onAdded} />
            <NameField key={`${node.id}.name`} node={node} />
          </Form>
        </fieldset>
        {isEditable && (
          <Button
            look="quiet"
            icon="trash"
            onPress={() => {
              store.change(remove(graph, [node.id]))
              onClose()
            }}
          >
            {t('flow.delete-step')}
          </Button>
        )}
      </div>
    </Side>
  )
}

/** The name of a step, for people who look at the flow. */
function NameField({ node }: { node: Node }) {
  const { graph, store } = useFlow()
  return (
    <TextField
      label={t('flow.label')}
      hint={t('flow.label-hint')}
      value={node.label ?? ''}
      maxLength={255}
      onChange={(text) => {
        const label = text === '' ? null : text
        store.change(changeNodes(graph, new Map([[node.id, { label }]])), `${node.id}.label`)
      }}
    />
  )
}

/** Where a step leads after each of its outcomes. */
function Ways({ node, onAdded }: Pick<Props, 'node' | 'onAdded'>) {
  const { graph, store } = useFlow()
  const [isAll, setAll] = useState(false)
  // a draft that a program wrote may have ways that are not possible
  const odd = graph.edges.filter(({ from }) => from === node.id).map(({ condition }) => condition)
  const outcomes = [...new Set([...outcomesOf(node), ...odd])]
  const shown = outcomes.filter(
    (outcome) => isAll || !isRare(outcome) || targetOf(graph, node.id, outcome) !== null,
  )
  if (outcomes.length === 0) return null
  return (
    <fieldset className="flow-fieldset">
      <legend>{t('flow.ways')}</legend>
      {shown.map((outcome) => (
        <StepSelect
          key={outcome}
          label={outcomeName(node, outcome)}
          place={{ from: node.id, condition: outcome }}
          nowhere={nowhereOf(node, outcome, graph)}
          value={targetOf(graph, node.id, outcome)}
          except={outcome === DEFAULT ? node.id : null}
          onChange={(to) => {
            store.change(connect(graph, { from: node.id, condition: outcome }, to))
          }}
          onAdded={onAdded}
        />
      ))}
      {shown.length < outcomes.length && (
        <Button
          look="quiet"
          icon="plus"
          onPress={() => {
            setAll(true)
          }}
        >
          {t('flow.ways-more')}
        </Button>
      )}
    </fieldset>
  )
}

/** What happens after an outcome that leads nowhere. */
function nowhereOf(node: Node, outcome: string, graph: Parameters<typeof targetOf>[0]): string {
  if (outcome === 'max_retries') return t('flow.nowhere.person')
  if (outcome === 'error' && FAILS.has(node.type)) return t('flow.nowhere.failed')
  return outcome !== 'default' && targetOf(graph, node.id, 'default') !== null
    ? t('flow.nowhere.default')
    : t('flow.nowhere.end')
}

/** Types of steps after whose failure the flow ends as failed. */
const FAILS = new Set([
  'message',
  'media',
  'template',
  'buttons',
  'prompt',
  'whatsapp_flow',
  'interactive',
  'delay',
  'goto_flow',
])
