import { useState } from 'react'

import { Button } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { t } from '../../texts/texts'
import { nodeOf, type Edge, type Graph, type Node } from './model/graph'
import type { Clash } from './model/merge'
import { useFlow } from './use-flow'
import { outcomeName, summaryOf, titleOf } from './words'

type Part = Clash['mine']

const isNode = (part: Part): part is Node => typeof part === 'object' && 'id' in part
const isEdge = (part: Part): part is Edge => typeof part === 'object' && 'from' in part

/** Says a version of a part in words. */
function shown(part: Part, graph: Graph): string {
  if (part === undefined) return t('flow.clash.gone')
  if (isNode(part)) return summaryOf(part) || JSON.stringify(part.config)
  const to = nodeOf(graph, isEdge(part) ? part.to : part)
  return to ? t('flow.goes-to', { name: titleOf(to) }) : t('flow.ends-here')
}

/** What people call a part. */
function nameOf({ mine, theirs }: Clash, graph: Graph): string {
  const part = mine ?? theirs
  if (isNode(part)) return titleOf(part)
  const from = isEdge(part) ? nodeOf(graph, part.from) : undefined
  return from && isEdge(part)
    ? `${titleOf(from)} · ${outcomeName(from, part.condition)}`
    : t('flow.clash.entry')
}

/** Lets a person choose where somebody else changed the same part of the flow meanwhile. */
export function ClashDialog() {
  const { clashes, graph, store } = useFlow()
  const [theirs, setTheirs] = useState<ReadonlySet<string>>(new Set())
  if (clashes.length === 0) return null
  return (
    <Dialog
      title={t('parts.merge.title')}
      size="medium"
      isOpen
      isDismissable={false}
      onClose={() => undefined}
    >
      <p>{t('flow.clash.hint')}</p>
      {clashes.map((clash) => (
        <fieldset key={clash.key} className="merge">
          <legend>
            <bdi>{nameOf(clash, graph)}</bdi>
          </legend>
          {[true, false].map((isTheirs) => (
            <label key={String(isTheirs)} className="merge-side">
              <input
                type="radio"
                name={clash.key}
                checked={theirs.has(clash.key) === isTheirs}
                onChange={() => {
                  const next = new Set(theirs)
                  if (isTheirs) next.add(clash.key)
                  else next.delete(clash.key)
                  setTheirs(next)
                }}
              />
              <span className="grow">
                <span className="muted small block">
                  {t(isTheirs ? 'parts.merge.theirs' : 'parts.merge.mine')}
                </span>
                <bdi>{shown(isTheirs ? clash.theirs : clash.mine, graph)}</bdi>
              </span>
            </label>
          ))}
        </fieldset>
      ))}
      <footer className="actions">
        <Button
          look="primary"
          onPress={() => {
            store.resolve(
              Object.fromEntries(
                clashes.map(({ key }) => [key, theirs.has(key) ? 'theirs' : 'mine'] as const),
              ),
            )
          }}
        >
          {t('parts.action.save')}
        </Button>
      </footer>
    </Dialog>
  )
}
