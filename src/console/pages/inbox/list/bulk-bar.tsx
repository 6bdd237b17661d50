import { useState } from 'react'

import type { Conversation } from '../../../api/shapes'
import type { ListFilter } from '../../../live/conversation-list'
import { useCan } from '../../../live/me'
import { IconButton, PlainButton } from '../../../parts/button'
import { TagsOfMany } from '../../../parts/contact/tags-of-many'
import { Confirm } from '../../../parts/dialog'
import { useKeys } from '../../../parts/keys'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { Popover } from '../../../parts/popover'
import { t } from '../../../texts/texts'
import { AssignPicker } from '../../../parts/assign-picker'
import { SnoozeMenu } from '../thread/snooze-menu'
import { useBulk, type BulkChange } from './bulk'
import type { Selection } from '../../../parts/selection'

interface Props {
  selection: Selection
  items: readonly Conversation[]
  filter: ListFilter | null
  /** Number of conversations that match the list, if it is known. */
  total: number | null
}

/** What can be done with the selected conversations, in place of the search. */
export function BulkBar({ selection, items, filter, total }: Props) {
  const bulk = useBulk(selection, filter, total)
  const count = selection.isAll ? (total ?? selection.ids.size) : selection.ids.size
  const hasMore = !selection.isAll && (total ?? 0) > items.length
  useKeys({ Escape: selection.clear })
  return (
    <div className="bulk-bar" role="toolbar" aria-label={t('inbox.bulk.title')}>
      <p className="bulk-count">
        <IconButton
          icon="close"
          size={18}
          label={t('inbox.bulk.clear')}
          onPress={selection.clear}
        />
        <b role="status">{t('inbox.bulk.count', { count })}</b>
        {(hasMore || selection.ids.size < items.length) && (
          <PlainButton
            className="link"
            onPress={() => {
              selection.selectAll(total)
            }}
          >
            {total === null ? t('inbox.bulk.all-matching') : t('inbox.bulk.all', { count: total })}
          </PlainButton>
        )}
      </p>
      {selection.ids.size > 0 && (
        <Buttons selection={selection} items={items} onChange={bulk.change} />
      )}
      {bulk.asked && (
        <Confirm
          isOpen
          title={t('inbox.bulk.confirm-title')}
          text={t('inbox.bulk.confirm', { count: bulk.asked.count })}
          action={t('inbox.bulk.confirm-action', { count: bulk.asked.count })}
          isDangerous={false}
          onConfirm={() => {
            if (bulk.asked) bulk.confirm(bulk.asked)
          }}
          onClose={bulk.dismiss}
        />
      )}
    </div>
  )
}

interface ButtonsProps extends Pick<Props, 'selection' | 'items'> {
  onChange: (change: BulkChange) => void
}

function Buttons({ selection, items, onChange }: ButtonsProps) {
  const mayAssign = useCan('transfers:assign')
  const mayTag = useCan('contacts:update')
  const [isAssigning, setAssigning] = useState(false)
  return (
    <div className="bulk-buttons">
      {mayAssign && (
        <AssignPicker
          label={t('inbox.bulk.assign')}
          isForPeople
          assignedTo="several"
          isOpen={isAssigning}
          onOpenChange={setAssigning}
          onPick={({ id }) => {
            onChange({ assigned_to: id ?? null })
          }}
        />
      )}
      <SnoozeMenu
        onSnooze={(until) => {
          onChange({ snoozed_until: until })
        }}
      />
      {mayTag && <TagButton selection={selection} items={items} onChange={onChange} />}
      <IconButton
        icon="check"
        label={t('inbox.action.close')}
        onPress={() => {
          onChange({ state: 'closed' })
        }}
      />
      <Menu
        label={t('parts.action.more')}
        button={<IconButton icon="more" label={t('parts.action.more')} />}
      >
        <MenuItem
          id="open"
          icon="refresh"
          label={t('inbox.action.reopen')}
          onAction={() => {
            onChange({ state: 'open' })
          }}
        />
        <MenuItem
          id="read"
          icon="checks"
          label={t('inbox.bulk.read')}
          onAction={() => {
            onChange({ read: true })
          }}
        />
        <MenuSection title={t('inbox.priority.title')}>
          {(['low', 'normal', 'high', 'urgent'] as const).map((priority) => (
            <MenuItem
              key={priority}
              id={priority}
              label={t(`inbox.priority.${priority}`)}
              onAction={() => {
                onChange({ priority })
              }}
            />
          ))}
        </MenuSection>
      </Menu>
    </div>
  )
}

/** Adds a tag to the contacts of all selected conversations, or takes one away. */
function TagButton({ selection, items, onChange }: ButtonsProps) {
  const [isOpen, setOpen] = useState(false)
  const chosen = items.filter(({ id }) => selection.ids.has(id)).map(({ contact }) => contact)
  return (
    <Popover
      label={t('inbox.tags.title')}
      isOpen={isOpen}
      onOpenChange={setOpen}
      button={<IconButton icon="tag" label={t('inbox.tags.change')} />}
    >
      {(close) => (
        <TagsOfMany
          contacts={chosen}
          onChange={(kind, id) => {
            onChange(kind === 'add' ? { tags_add: [id] } : { tags_remove: [id] })
            close()
          }}
        />
      )}
    </Popover>
  )
}
