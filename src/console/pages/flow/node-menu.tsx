import { IconButton } from '../../parts/button'
import { Menu, MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { copy, paste, readClip } from './model/clip'
import { connect, moveBy, remove } from './model/commands'
import { DEFAULT, targetOf, type Node } from './model/graph'
import { isLeaving } from './model/outcomes'
import { useFlow } from './use-flow'
import { titleOf } from './words'

/** Steps that were copied here, where the clipboard of the system cannot be read. */
let held = ''

/** Keeps copied steps, for this page and for others. */
export function hold(text: string): void {
  held = text
  navigator.clipboard?.writeText(text).catch(() => undefined)
  notify(t('flow.copied'))
}

/** Returns the steps that were copied here last. */
export const heldClip = () => readClip(held)

interface Props {
  node: Node
  onChoose: (id: string | null) => void
}

/** What can be done with a step. */
export function NodeMenu({ node, onChoose }: Props) {
  const { graph, store } = useFlow()
  const name = titleOf(node)
  const { id } = node
  const [up, down] = [moveBy(graph, id, -1), moveBy(graph, id, 1)]
  const pasteAfter = (): void => {
    const clip = heldClip()
    if (!clip) return report(new Error('nothing is held'))
    const [pasted, [first]] = paste(graph, clip)
    if (first === undefined) return
    const place = { from: id, condition: DEFAULT }
    const isFree = !isLeaving(node.type) && targetOf(graph, id, DEFAULT) === null
    store.change(isFree ? connect(pasted, place, first) : pasted)
    onChoose(first)
  }
  return (
    <Menu
      label={t('list.item.actions', { name })}
      button={<IconButton icon="more" size={18} label={t('list.item.actions', { name })} />}
    >
      {up !== graph && (
        <MenuItem
          icon="up"
          label={t('flow.move-up')}
          shortcut="Alt ↑"
          onAction={() => {
            store.change(up)
          }}
        />
      )}
      {down !== graph && (
        <MenuItem
          icon="down"
          label={t('flow.move-down')}
          shortcut="Alt ↓"
          onAction={() => {
            store.change(down)
          }}
        />
      )}
      {graph.entry !== id && (
        <MenuItem
          icon="play"
          label={t('flow.begin-here')}
          onAction={() => {
            store.change(connect(graph, null, id))
          }}
        />
      )}
      <MenuItem
        icon="copy"
        label={t('flow.copy')}
        onAction={() => {
          hold(copy(graph, [id]))
        }}
      />
      {heldClip() && <MenuItem icon="note" label={t('flow.paste')} onAction={pasteAfter} />}
      <MenuItem
        icon="trash"
        label={t('flow.delete-step')}
        isDangerous
        onAction={() => {
          store.change(remove(graph, [id]))
          onChoose(null)
        }}
      />
    </Menu>
  )
}
