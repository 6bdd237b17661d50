import { InvalidError } from '../../../../lib/errors'
import type { Sealer } from '../../../../lib/secret'
import type { ArchiveManifest } from '../../organization-archive/archive-format'
import {
  archivedSecretContext,
  deriveArchiveKey,
  sealerOf,
} from '../../organization-archive/archive-secrets'
import { ArchiveFault, invalid, type ArchivePlace } from './fault'

/** A secret of an archive, and where it stands. */
interface SecretPlace {
  organizationId: string
  table: string
  column: string
  key: readonly unknown[]
  place: ArchivePlace
}

/** Decrypts the secrets of an archive. */
export class SecretReader {
  private readonly sealer: Sealer | null

  /** `key` is the derived key; `null` for an archive without secrets. */
  constructor(readonly key: Buffer | null) {
    this.sealer = key === null ? null : sealerOf(key)
  }

  /** Returns a secret in plain text. Throws ArchiveFault if it is not one of this place. */
  open(sealed: string, { place, ...at }: SecretPlace): string {
    try {
      if (this.sealer) return this.sealer.open(sealed, archivedSecretContext(at))
    } catch {
      // Reported below: nothing else is known about it.
    }
    throw invalid(`\`${at.column}\` is not encrypted with the key of the archive`, place)
  }
}

/**
 * Derives the key of an archive. Throws ArchiveFault `wrong_passphrase`, and InvalidError if the
 * archive needs a passphrase and there is none.
 */
export async function openSecrets(
  { encryption }: ArchiveManifest,
  passphrase: string | null,
): Promise<SecretReader> {
  if (encryption === null) return new SecretReader(null)
  if (passphrase === null)
    throw new InvalidError('`passphrase` is required: the archive contains encrypted secrets.', {
      code: 'invalid_input',
      errors: [{ path: 'body.passphrase', message: 'is required for this archive' }],
    })
  const derived = await deriveArchiveKey(passphrase, encryption)
  if (derived.encryption.key_id === encryption.key_id) return new SecretReader(derived.key)
  throw new ArchiveFault('wrong_passphrase', 'The passphrase is not the one of this archive.')
}
