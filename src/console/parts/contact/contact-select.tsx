import { useState } from 'react'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Select } from '../select'
import { useSearchText } from '../use-search-text'
import { nameOf, numberBeside } from './name'

/** What is listed at most; a search finds the others. */
const MOST_LISTED = 20
/** Pause in typing after which the server is asked, milliseconds. */
const PAUSE_MS = 150

/** A contact that was chosen. */
export interface ChosenContact {
  id: string
  label: string
}

interface Props {
  label: string
  value: ChosenContact | null
  onChange: (contact: ChosenContact) => void
}

/** A field to choose one of the contacts, whom the server finds by name or number. */
export function ContactSelect({ label, value, onChange }: Props) {
  const [words, setWords] = useState('')
  const [, type] = useSearchText('', PAUSE_MS, setWords)
  const query = { limit: MOST_LISTED, ...(words === '' ? {} : { search: words }) }
  const { data } = useApi('GET /api/contacts', { query }, useCan('contacts:read'))
  const choices = (data?.items ?? []).map((contact) => ({
    id: contact.id,
    label: nameOf(contact),
    hint: numberBeside(contact) ?? '',
  }))
  return (
    <Select
      label={label}
      choices={choices}
      value={value?.id ?? null}
      {...(value ? { chosen: value.label } : {})}
      onChange={(id) => {
        const found = choices.find((one) => one.id === id)
        if (found) onChange({ id, label: found.label })
      }}
      onSearch={(text) => {
        type(text.trim())
      }}
    />
  )
}
