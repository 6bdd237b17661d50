import { expect, test } from 'bun:test'

import {
  decryptRequest,
  type PrivateKeyRef,
} from '../../../../src/modules/channel/flows/endpoint/encryption'

/**
 * Made by another implementation (Python's cryptography 48): a key of these tests and of nothing
 * else, a request, and the answer to it.
 */
const KEY = [
  'MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQCoyb4mw7ZZ6ziKY5gwP0UajnK/sJHFsLUuo+opyJVzawEHHJEZd6dpxXx8d0',
  'pe//v9+Q23twEWzlfGt0xK6X4dX5TFW8imDUSxaxRA01AaxwzFd8ZRZqiUViZoWKCoBzvMTgVjiRyDm4tlviYriLd45CvUA9Tkq6wDkaPk1OVc',
  'iR/vuSrjLLV8XHuGAiLvai6FUR9IH939uTFwOp8hOTn+HDG3S1WPdsQun+Fj5Ym31TZSD6a7Ozz5m5IkOmIqyADQ3OPlUfYHIBO7vAI/fbhHFC',
  'qcS2nLR2nkt4agubqydoePlClwSFUjWMTf4EmDx5pgMjSqQ8Li0V55RbQc8QnDAgMBAAECggEAKzRk25haS38F3Iqs0KDJaAhRgBbK4Y8feZ5U',
  'mLhy5PXdb/wUei/iJxV5jYSdgV7GGpcPN1j9SuCroD6YJU7KTOuD8dbSMAsSa9WsfAF7LjeIYd2MYpbEDSBWOXyCNzCO0negMn/M0DVXA8aeD6',
  'OxzxycyWrnqlb1M36qtK74POyjbjPc1odAGbdU6uud0TLwh+JXNyTSXk8wvRmMK7gKfEuc1vSOZHfsz8KLxUfhsAO0xQblOwD4PFhG9LoOZF1X',
  'DITv+V2reS0M5Lo5teT/rzxnKB9i9HzUtFIOIphadZREzUrBEcD9k/6ZDGjRI6bUn4ms+G1jRSauZ5/8mKp9/QKBgQDs+yA41XUdZ39/FR2GWn',
  'N160H40M8F1zrTob1+O5XpDuy4Qlxkrn3jnyL/cU383zB4IQATslr9HkDCaMPfZ/SDab63oynhU9fxNDBSSAWuqZ57kZelLlRVQKx3gsxHMgnD',
  'M1TQ8fN4Nhzu/HKVpL4wfztJKR5LN1kaeAit68yMvQKBgQC2VZCa6Th/DCKlxguVPKIHwJX9O5vuxZbpdwMYUQ9ZQub4b+YnPlCcv5FWsSNV4U',
  'w6g5/bZpob9a+vV5VxE1Qc78g6CK0ff9a5/ekme/6Ep9u5RgLK5QcF4bi49lmZtvBhuWForU1L4oqKQ/+Bw6zopgRRgr5ELkhBd4nLrnOYfwKB',
  'gQCa6ZpprJfvTc3ZbBstzYj2h4BLv2vlXInW+D7f+uGHRTtXRAITysD+f/On2hBqAhg0HxZmycuS9SjOLSAFtXXwRbrnXmCtLFrYEQ6Zav1T7Q',
  'ttqYHg98UnKazUPwt8auhY0wBZyiAm7/DABQR+b//nwfQmYhusfZTgqaC62I6RXQKBgQCf6PkSs3nmCrmUU9Wyw+ODEwc4eX/vcAFDrinbuLPS',
  'YBd7SYA7aK6AWo5XzrEjz5zwMKIRZLHB1b6H9DNPYVlCq5UaOKPE3XRv2F0TcGmu5ByTJ/CpCyYWpXlBVmUMp+G4g0IH8P26kOtaCfrbTsaln3',
  'xoFFdUKpcaO4FxTgV5dwKBgQCdBTSBY0F8iQcgF4AMsIjx9cy4fjb/6OavRTSsBKHtzf9rXI/uHX+l6Wr7ysFSZ9dejyJ2TdlJzpL56X5i7FOe',
  'ELIHvitW4DVlnb802YcnVfqbRthD1d8q5zJBRe0bHlhkUSc5S4Zvf9yM1ID6OAlDBwdF5PtGHygzIvujiFKL7w==',
].join('')
const REQUEST = {
  encrypted_flow_data: 'WdRshMa2/D0JCtEqEaMg8TbrLc4HCme+/ibKO5bzbIj5PJMWNSkD8WRhHcNbxwyaRrmP6w==',
  encrypted_aes_key:
    'NRHGOZBjH/ENHEenCPuA7RiyxidBZDI6/X69XAvtqjo0CdgCSwCzkEieMjF6/0W1lIYblzhlrvkRqRniVYIVjqT4sK8TsfNaIoqw/4C3gZAOsytLW8Jlz+vpqiwZ2eM4Zr0h/+I1Dv3ELCtjaGhxyRcq0m4E7yvz3MS7zVPWrUcytlMt3F4LhVIQfnqxQUPo1k5NfJjJohG2hRCXW0KH40q7VwFv67sC5GbAbX4XH7wFSYCjlwT+0g+CAg/6+sLlMaENWxoHpPnvCKms6VXcXPc1X3P+szcP02rhJMp8/LblAb6hKs2bPDehjIh88f4axLErHP/LOamARpK2X93HbQ==',
  initial_vector: 'ZGVmZ2hpamtsbW5vcHFycw==',
}
const TEXT = '{"version": "3.0", "action": "ping"}'
const ANSWER = '{"data":{"status":"active"}}'
const SEALED = '6A1OUeQwFcmZ8K6dudybJumzsCGYD+feVzlEMIGYy9zdrbBmTgaPBlvpLFc='

const own: PrivateKeyRef = { name: 'own', pem: () => KEY }

test('decrypts requests of another implementation and encrypts the answer for it', async () => {
  const opened = await decryptRequest(REQUEST, [own])
  expect(opened?.text).toBe(TEXT)
  expect(await opened?.seal(ANSWER)).toBe(SEALED)
})

test('each bit of it counts', async () => {
  for (const part of ['encrypted_flow_data', 'encrypted_aes_key', 'initial_vector'] as const) {
    const bytes = Buffer.from(REQUEST[part], 'base64')
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at & 7))
      expect(
        await decryptRequest({ ...REQUEST, [part]: flipped.toString('base64') }, [own]),
      ).toBeNull()
    }
    expect(await decryptRequest({ ...REQUEST, [part]: '' }, [own])).toBeNull()
  }
  expect(await decryptRequest(REQUEST, [])).toBeNull()
})
