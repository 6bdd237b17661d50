import type { CSSProperties, KeyboardEvent } from 'react'

import { PlainButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { useIsNarrow } from '../../parts/narrow'
import { RichLine } from '../../parts/rich-text'
import { t } from '../../texts/texts'
import { AddButton } from './add-button'
import { useFigureWords } from './figures'
import { moveBy, remove } from './model/commands'
import { DEFAULT, nodeOf, type Node } from './model/graph'
import { kindOf } from './model/kinds'
import { isLeaving } from './model/outcomes'
import { outlineOf, type Row } from './model/outline'
import { NodeMenu } from './node-menu'
import { useFlow } from './use-flow'
import { isSaid, kindName, KIND_ICONS, outcomeName, summaryOf, titleOf } from './words'

interface Props {
  /** The chosen step. */
  chosen: string | null
  /** Steps that the test ran through, and the one where it stands. */
  path: ReadonlySet<string>
  onChoose: Choose
}

/** Chooses a step, or none; `isEdited` leads the focus to its settings. */
type Choose = (id: string | null, isEdited?: boolean) => void

/** Walks through the steps by arrows, moves them with Alt, and deletes them. */
function useOutlineKeys(onChoose: Props['onChoose']) {
  const { graph, store, isEditable } = useFlow()
  return (event: KeyboardEvent<HTMLUListElement>): void => {
    const at = (event.target as HTMLElement).closest<HTMLElement>('[data-node]')
    const id = at?.dataset['node']
    if (at === null || id === undefined || event.target !== at) return
    const steps = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-node]')]
    const go = (by: number): void => steps[steps.indexOf(at) + by]?.focus()
    const change = (by: 1 | -1): void => {
      if (!isEditable) return
      store.change(moveBy(graph, id, by))
      // the row is drawn at another place
      requestAnimationFrame(() => {
        document.querySelector<HTMLElement>(`[data-node="${CSS.escape(id)}"]`)?.focus()
      })
    }
    const keys: Record<string, () => void> = {
      ArrowDown: () => {
        if (event.altKey) change(1)
        else go(1)
      },
      ArrowUp: () => {
        if (event.altKey) change(-1)
        else go(-1)
      },
      Home: () => steps[0]?.focus(),
      End: () => steps.at(-1)?.focus(),
      Delete: () => {
        if (!isEditable) return
        const next = steps[steps.indexOf(at) + 1] ?? steps[steps.indexOf(at) - 1]
        next?.focus()
        store.change(remove(graph, [id]))
        onChoose(null)
      },
    }
    const work = keys[event.key]
    if (!work) return
    event.preventDefault()
    work()
  }
}

/** The flow as an indented list: every step once, below the way that leads to it. */
export function Outline({ chosen, path, onChoose }: Props) {
  const { graph, isEditable } = useFlow()
  const onKeyDown = useOutlineKeys(onChoose)
  return (
    <ul className="flow-outline" aria-label={t('flow.steps')} onKeyDown={onKeyDown}>
      {outlineOf(graph).map((row) => (
        <li
          key={keyOf(row)}
          className={`flow-row ${row.kind}`}
          style={{ '--depth': row.depth } as CSSProperties}
        >
          {row.kind === 'loose' ? (
            <p className="muted small">{t('flow.loose')}</p>
          ) : (
            <>
              <Branch row={row} />
              {row.kind === 'node' && (
                <StepRow
                  node={row.node}
                  isChosen={row.node.id === chosen}
                  isOnPath={path.has(row.node.id)}
                  onChoose={onChoose}
                />
              )}
              {row.kind === 'jump' && (
                <PlainButton
                  className="flow-jump"
                  onPress={() => {
                    onChoose(row.to.id)
                  }}
                >
                  <Icon name="forward" size={16} />
                  <bdi>{t('flow.goes-to', { name: titleOf(row.to) })}</bdi>
                </PlainButton>
              )}
              {row.kind === 'open' && (
                <span className="muted small">
                  {t(row.goesOn ? 'flow.goes-on' : 'flow.ends-here')}
                </span>
              )}
              {row.kind !== 'node' && isEditable && row.from !== null && (
                <AddButton
                  place={{ from: row.from, condition: row.condition }}
                  label={t('flow.add-here')}
                  onAdded={(id) => {
                    onChoose(id, true)
                  }}
                />
              )}
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

const keyOf = (row: Row): string =>
  row.kind === 'node'
    ? row.node.id
    : row.kind === 'loose'
      ? 'loose'
      : `${row.from ?? ''} ${row.condition}`

/** The outcome after which a row comes, if it is not simply the next one. */
function Branch({ row }: { row: Exclude<Row, { kind: 'loose' }> }) {
  const { graph } = useFlow()
  const from = row.from === null ? undefined : nodeOf(graph, row.from)
  if (!from || row.condition === DEFAULT) return null
  return (
    <span className="chip flow-branch">
      <bdi>{outcomeName(from, row.condition)}</bdi>
    </span>
  )
}

interface StepProps {
  node: Node
  isChosen: boolean
  isOnPath: boolean
  onChoose: Choose
}

/** A step: what it is, what it says, and what can be done with it. */
function StepRow({ node, isChosen, isOnPath, onChoose }: StepProps) {
  const { problems, isEditable } = useFlow()
  const wrong = problems.filter((one) => one.node === node.id && one.isError).length
  const kind = kindOf(node)
  const words = summaryOf(node)
  const { id } = node
  const figures = useFigureWords(id)
  const isNarrow = useIsNarrow()
  return (
    <>
      <PlainButton
        className="flow-step"
        data-node={id}
        aria-current={isChosen}
        data-path={isOnPath ? '' : undefined}
        onPress={({ pointerType }) => {
          onChoose(id, isNarrow || pointerType === 'keyboard' || pointerType === 'virtual')
        }}
      >
        <Icon name={KIND_ICONS[kind]} size={18} />
        <span className="grow">
          <b dir="auto">{node.label ?? kindName(kind)}</b>
          {words !== '' && (
            <span className="second small">
              {isSaid(node) ? <RichLine text={words} /> : <bdi>{words}</bdi>}
            </span>
          )}
        </span>
        {figures !== null && <span className="muted small flow-step-more">{figures}</span>}
        {isOnPath && <span className="visually-hidden">{t('flow.test.passed')}</span>}
        {wrong > 0 && (
          <span className="danger-text small flow-step-more">
            {t('flow.problem-count', { count: wrong })}
          </span>
        )}
      </PlainButton>
      {isEditable && (
        <>
          {!isLeaving(node.type) && (
            <AddButton
              place={{ from: id, condition: DEFAULT }}
              label={t('flow.add-after', { name: titleOf(node) })}
              onAdded={(added) => {
                onChoose(added, true)
              }}
            />
          )}
          <NodeMenu node={node} onChoose={onChoose} />
        </>
      )}
    </>
  )
}
