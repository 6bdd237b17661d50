import { useState } from 'react'

import { ApiError } from '../../api/error'
import type { ChatbotSettings } from '../../api/shapes'
import { Button } from '../button'
import { Switch } from '../choice'
import { DateField } from '../date-field'
import { TextField, textOf } from '../field'
import { FormDialog } from '../form-dialog'
import { Item, ItemList } from '../item-list'
import { dayOf } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'
import { editMenu, useEditing } from '../edit-menu'
import { Spans } from '../week'
import { holidayDay, holidayHours } from './words'

type Holiday = ChatbotSettings['holidays'][number]

const refused = (why: TextKey): ApiError => new ApiError(400, 'refused', t(why))

interface DialogProps {
  holiday: Holiday | null
  /** Dates that are taken. */
  taken: readonly string[]
  onSave: (holiday: Holiday) => void
  onClose: () => void
}

/** The window in which a holiday is added or changed. It is stored with the page. */
function HolidayDialog({ holiday, taken, onSave, onClose }: DialogProps) {
  const [date, setDate] = useState(holiday?.date ?? null)
  const [intervals, setIntervals] = useState(holiday?.intervals ?? [])
  return (
    <FormDialog
      title={t(holiday ? 'settings.hours.edit-holiday' : 'settings.hours.add-holiday')}
      submit={t('settings.hours.keep-holiday')}
      onClose={onClose}
      onSave={(data) => {
        if (date === null) return Promise.reject(refused('parts.field.required'))
        if (taken.includes(date)) return Promise.reject(refused('settings.hours.date-taken'))
        onSave({ date, name: textOf(data, 'name').trim(), intervals })
        return Promise.resolve()
      }}
    >
      <DateField label={t('settings.hours.date')} value={date} onChange={setDate} />
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={holiday?.name ?? ''}
        maxLength={255}
      />
      <Switch
        isSelected={intervals.length > 0}
        onChange={(isOpen) => {
          setIntervals(isOpen ? [{ start_time: '09:00', end_time: '13:00' }] : [])
        }}
      >
        {t('settings.hours.open-holiday')}
      </Switch>
      <Spans day={t('settings.hours.this-day')} spans={intervals} onChange={setIntervals} />
    </FormDialog>
  )
}

interface Props {
  holidays: readonly Holiday[]
  onChange: (holidays: Holiday[]) => void
}

/** The dates with hours of their own, next ones first. */
export function Holidays({ holidays, onChange }: Props) {
  const { edited, edit, close } = useEditing<Holiday>()
  const today = dayOf(Date.now())
  const sorted = holidays.toSorted((one, other) => one.date.localeCompare(other.date))
  const isPast = ({ date }: Holiday): boolean => date < today
  const others = sorted.filter((one) => one !== edited)
  return (
    <>
      {sorted.length === 0 && <p className="muted">{t('settings.hours.no-holidays')}</p>}
      <ItemList label={t('settings.hours.holidays')}>
        {[...sorted.filter((one) => !isPast(one)), ...sorted.filter(isPast)].map((one) => (
          <Item
            key={one.date}
            name={holidayDay(one)}
            badge={
              <>
                {one.name !== '' && <bdi className="muted">{one.name}</bdi>}
                {isPast(one) && <span className="chip">{t('settings.hours.past')}</span>}
              </>
            }
            hint={holidayHours(one)}
            menu={editMenu({
              onEdit: () => {
                edit(one)
              },
              onDelete: () => {
                onChange(holidays.filter((each) => each !== one))
              },
            })}
          />
        ))}
      </ItemList>
      <Button
        icon="plus"
        onPress={() => {
          edit('new')
        }}
      >
        {t('settings.hours.add-holiday')}
      </Button>
      {edited && (
        <HolidayDialog
          holiday={edited === 'new' ? null : edited}
          taken={others.map(({ date }) => date)}
          onSave={(holiday) => {
            onChange([...others, holiday])
          }}
          onClose={close}
        />
      )}
    </>
  )
}
