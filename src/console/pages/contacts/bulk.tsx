import { useState } from 'react'

import type { Contact } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { TagsOfMany } from '../../parts/contact/tags-of-many'
import { Confirm, typedFor } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { useFound } from '../../parts/found-select'
import type { IconName } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { Picker } from '../../parts/picker'
import { Popover } from '../../parts/popover'
import type { Selected } from '../../parts/table-bulk'
import { t } from '../../texts/texts'
import { useBulk, type Asked, type Change, type Matching } from './bulk-change'
import { CampaignButton } from './campaign-button'
import { useExport } from './export'

interface Props {
  selected: Selected<Contact>
  matching: Matching
  /** The columns of the file. */
  columns: readonly string[]
}

/** What can be done with the selected contacts. */
export function Bulk({ selected, matching, columns }: Props) {
  const { asked, change, confirm, dismiss } = useBulk(matching)
  const save = useExport()
  const mayChange = useCan('contacts:update')
  const mayAssign = useCan('contacts:update', 'transfers:assign')
  const mayExport = useCan('contacts:export')
  const apply = (one: Change): void => {
    change(one, selected)
  }
  return (
    <>
      {mayChange && <TagButton selected={selected} onChange={apply} />}
      {mayAssign && <OwnerButton onChange={apply} />}
      {mayChange && <ConsentButton onChange={apply} />}
      <CampaignButton selected={selected} matching={matching} />
      {mayExport && (
        <Button
          look="quiet"
          icon="download"
          onPress={() => {
            const { isAll, rows } = selected
            save(isAll ? matching : { contact_ids: rows.map(({ id }) => id) }, columns)
          }}
        >
          {t('contacts.bulk.export')}
        </Button>
      )}
      {mayChange && <MoreButton onChange={apply} />}
      {asked && <Question asked={asked} onConfirm={confirm} onClose={dismiss} />}
    </>
  )
}

/** Asks before a change that one press does not take back. */
function Question({
  asked: { change, count, isOther },
  ...answers
}: {
  asked: Asked
  onConfirm: () => void
  onClose: () => void
}) {
  const isDeletion = change.action === 'delete'
  const why = isDeletion ? 'contacts.bulk.delete-text' : 'contacts.bulk.ask-text'
  return (
    <Confirm
      {...answers}
      isOpen
      title={t(`contacts.bulk.ask.${wordOf(change)}`, { count })}
      text={isOther ? t('contacts.bulk.changed', { count }) : t(why)}
      action={t(isDeletion ? 'contacts.bulk.delete' : 'parts.action.save')}
      typed={typedFor(count)}
      isDangerous={isDeletion}
    />
  )
}

/** Records what they agreed to. */
function ConsentButton({ onChange }: ButtonProps) {
  const [isAgreeing, setAgreeing] = useState(false)
  return (
    <>
      <Menu
        label={t('contacts.bulk.consent')}
        placement="bottom"
        button={<Button look="quiet">{t('contacts.bulk.consent')}</Button>}
      >
        <MenuItem
          icon="check"
          label={t('contacts.bulk.agreed')}
          onAction={() => {
            setAgreeing(true)
          }}
        />
        <MenuItem
          icon="close"
          label={t('contacts.bulk.refused')}
          onAction={() => {
            onChange({ action: 'opt_out' })
          }}
        />
      </Menu>
      {isAgreeing && (
        <Evidence
          onClose={() => {
            setAgreeing(false)
          }}
          onSave={(value) => {
            onChange({ action: 'opt_in', value })
          }}
        />
      )}
    </>
  )
}

/** What is done seldom. */
function MoreButton({ onChange }: ButtonProps) {
  const mayDelete = useCan('contacts:delete')
  const item = (action: 'block' | 'unblock' | 'delete', icon: IconName) => (
    <MenuItem
      icon={icon}
      isDangerous={action === 'delete'}
      label={t(`contacts.bulk.${action}`)}
      onAction={() => {
        onChange({ action })
      }}
    />
  )
  return (
    <Menu
      label={t('parts.action.more')}
      placement="bottom end"
      button={<Button look="quiet">{t('parts.action.more')}</Button>}
    >
      {item('block', 'lock')}
      {item('unblock', 'check')}
      {mayDelete && item('delete', 'trash')}
    </Menu>
  )
}

/** The action of a change as texts name it; a custom field is not changed here. */
const wordOf = ({ action }: Change) => (action === 'set_attribute' ? 'assign' : action)

/** Asks how people agreed, which is kept as evidence. */
function Evidence({ onSave, onClose }: { onSave: (words: string) => void; onClose: () => void }) {
  return (
    <FormDialog
      title={t('contacts.bulk.agreed')}
      submit={t('contacts.bulk.record')}
      onClose={onClose}
      onSave={(data) => {
        onSave(textOf(data, 'evidence').trim())
        return Promise.resolve()
      }}
    >
      <TextField
        name="evidence"
        label={t('contacts.bulk.evidence')}
        hint={t('contacts.bulk.evidence-hint')}
        maxLength={1_024}
        isRequired
        autoFocus
      />
    </FormDialog>
  )
}

interface ButtonProps {
  onChange: (change: Change) => void
}

/** Adds a tag to all of them, or takes one away. */
function TagButton({ selected, onChange }: ButtonProps & Pick<Props, 'selected'>) {
  return (
    <Popover
      label={t('contacts.bulk.tags')}
      placement="bottom"
      button={
        <Button look="quiet" icon="tag">
          {t('contacts.bulk.tags')}
        </Button>
      }
    >
      {(close) => (
        <TagsOfMany
          contacts={selected.rows}
          onChange={(kind, id) => {
            close()
            onChange({ action: kind === 'add' ? 'add_tags' : 'remove_tags', value: [id] })
          }}
        />
      )}
    </Popover>
  )
}

const NOBODY = 'nobody'

/** Gives all of them to a colleague, or to nobody in particular. */
function OwnerButton({ onChange }: ButtonProps) {
  const { entries, onSearch } = useFound('colleague')
  return (
    <Popover
      label={t('contacts.bulk.owner')}
      placement="bottom"
      button={
        <Button look="quiet" icon="assign">
          {t('contacts.bulk.owner')}
        </Button>
      }
    >
      {(close) => (
        <Picker
          label={t('contacts.bulk.owner')}
          items={[
            { id: NOBODY, label: t('inbox.assign.nobody') },
            ...entries.map(({ id, name }) => ({ id, label: name })),
          ]}
          onPick={(id) => {
            close()
            onChange({ action: 'assign', value: id === NOBODY ? null : id })
          }}
          {...(onSearch ? { onSearch } : {})}
        />
      )}
    </Popover>
  )
}
