import { useState } from 'react'

import { Section } from '../../parts/page'
import { Upload } from '../../parts/upload'

const MAX_BYTES = 5_000_000

/** A place for a file, at rest and while one is sent. */
export function UploadSection() {
  const [name, setName] = useState<string | null>(null)
  return (
    <Section title="Upload">
      <Upload
        label="Upload"
        hint={name ?? 'hint'}
        accept=".csv"
        maxBytes={MAX_BYTES}
        isBusy={name !== null}
        onFile={(file) => {
          setName(file.name)
        }}
        onCancel={() => {
          setName(null)
        }}
      />
    </Section>
  )
}
