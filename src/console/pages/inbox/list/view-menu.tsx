import type { ConversationCounts } from '../../../api/shapes'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { Menu, MenuItem } from '../../../parts/menu'
import { formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { VIEWS, type Search, type View } from '../views'

interface Props {
  search: Search
  counts: ConversationCounts | undefined
  onSearch: (search: Search) => void
}

/** Returns the number of conversations of a view, if the server counts it. */
function countOf(view: View | 'all', counts: ConversationCounts | undefined): string {
  if (!counts) return ''
  const numbers: Partial<Record<View | 'all', number>> = {
    all: counts.open,
    mine: counts.mine,
    unassigned: counts.unassigned,
    snoozed: counts.snoozed,
    bot: counts.pending,
    closing: counts.closing_window,
    closed: counts.closed,
  }
  const number = numbers[view]
  return number === undefined ? '' : formatNumber(number)
}

/** The name of the view, which opens the menu of all views. */
export function ViewMenu({ search, counts, onSearch }: Props) {
  const current = search.view ?? 'all'
  const choose = (view: View | 'all'): void => {
    const { view: _, ...rest } = search
    onSearch(view === 'all' ? rest : { ...rest, view })
  }
  return (
    <Menu
      label={t('inbox.view.menu')}
      placement="bottom start"
      button={
        <PlainButton className="view-button">
          <span>{t(`inbox.view.${current}`)}</span>
          <span className="muted count">{countOf(current, counts)}</span>
          <Icon name="down" size={16} />
        </PlainButton>
      }
    >
      {(['all', ...VIEWS] as const).map((view) => (
        <MenuItem
          key={view}
          id={view}
          label={t(`inbox.view.${view}`)}
          detail={countOf(view, counts)}
          onAction={() => {
            choose(view)
          }}
        />
      ))}
    </Menu>
  )
}
