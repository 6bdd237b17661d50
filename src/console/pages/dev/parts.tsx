import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { ApiError } from '../../api/error'
import { useDraft, type Draft } from '../../parts/draft'
import { EditPage } from '../../parts/edit-page'
import { NumberField, TextField } from '../../parts/field'
import { Item, ItemList } from '../../parts/item-list'
import { Section } from '../../parts/page'
import { SearchSelect } from '../../parts/search-select'
import { Select } from '../../parts/select'
import { TimeField } from '../../parts/time-field'
import { formatTimeOfDay } from '../../texts/format'
import { timeZones } from '../../texts/places'
import { t } from '../../texts/texts'
import { FilterSection } from './filter-section'
import { TableSection } from './table-section'
import { UploadSection } from './upload-section'
import { ShownParts } from './shown'
import { WizardPart } from './tasks'
import { ChartsSection } from './charts'
import { CodeSection } from './code'
import { DatesSection } from './dates'

/** What the server answers when the form is saved. */
const ANSWERS = {
  saved: null,
  refused: new ApiError(400, 'invalid_input', '', {
    retryAfterS: null,
    requestId: null,
    details: null,
    fields: [{ path: 'body.name', message: 'is required' }],
  }),
  lost: new TypeError(),
} as const
type Answer = keyof typeof ANSWERS

/** A moment in which the form is being saved, milliseconds. */
const SAVING_MS = 500

interface Values {
  name: string
  least: number
  most: number | null
  time: string
  zone: string
}

const INITIAL: Values = { name: 'EditPage', least: 5, most: null, time: '09:00', zone: 'UTC' }

function Fields({ draft: { value, set } }: { draft: Draft<Values> }) {
  return (
    <>
      <TextField
        name="name"
        label="TextField"
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
      />
      <div className="fields">
        <NumberField
          name="least"
          label="NumberField"
          range={[1, 10]}
          value={value.least}
          onChange={(least) => {
            set({ least })
          }}
        />
        <NumberField
          name="most"
          label="NumberField onClear"
          hint={t('settings.silence.never')}
          range={[value.least, 10]}
          value={value.most}
          onChange={(most) => {
            set({ most })
          }}
          onClear={() => {
            set({ most: null })
          }}
        />
      </div>
      <TimeField
        label="TimeField"
        value={value.time}
        onChange={(time) => {
          set({ time })
        }}
      />
      <SearchSelect
        label="SearchSelect"
        choices={timeZones().map((id) => ({ id, label: id }))}
        value={value.zone}
        onChange={(zone) => {
          set({ zone })
        }}
      />
    </>
  )
}

/**
 * The parts of forms and lists in all their states, for those who develop the console. The page is in no
 * executable, and its words are names of code.
 */
export function Parts() {
  const { step } = useSearch({ from: '/dev/parts' })
  if (step === undefined) return <FormParts />
  return step === 'shown' ? <ShownParts /> : <WizardPart step={step} />
}

function FormParts() {
  const [answer, setAnswer] = useState<Answer>('saved')
  const [saved, setSaved] = useState(INITIAL)
  const draft = useDraft(saved)
  const { name, time } = draft.value
  return (
    <EditPage
      title="/dev/parts"
      draft={draft}
      onSave={async (changes) => {
        await new Promise((resolve) => {
          setTimeout(resolve, SAVING_MS)
        })
        const error = ANSWERS[answer]
        if (error) throw error
        setSaved((before) => ({ ...before, ...changes }))
      }}
    >
      <Section title="EditPage">
        <div className="form dev-parts">
          <Select
            label="onSave"
            choices={Object.keys(ANSWERS).map((id) => ({ id: id as Answer, label: id }))}
            value={answer}
            onChange={setAnswer}
          />
          <Fields draft={draft} />
        </div>
      </Section>
      <Section title="ItemList">
        <ItemList label="ItemList">
          <Item name={name} hint={formatTimeOfDay(time)} />
          <Item name={name} link={<a href="#content">{name}</a>} />
        </ItemList>
      </Section>
      <FilterSection />
      <UploadSection />
      <DatesSection />
      <ChartsSection />
      <CodeSection />
      <TableSection />
    </EditPage>
  )
}
