/** Files that a spawned session is given with its task: checked here, and laid down where nobody can lead them astray. */
import { createHash, randomBytes } from 'node:crypto';
import { close, constants, fsync, mkdirSync, realpathSync, rmdirSync, writeFile } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, syncDir } from '../journal/disk.ts';
import { formedBytes, settledLater } from '../journal/sealedPlaces.ts';
import { ATTACHMENTS } from '../session/attachedFolders.ts';
import { HeldFolder } from '../subagent/workspace/folder.ts';
import { attachmentName, foldedName, MANIFEST } from './attachmentName.ts';

const MOST_FILES = 50;
const MOST_FILE_BYTES = 1024 * 1024;
const MOST_BYTES = 5 * 1024 * 1024;

const STANDARD_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const files = {
  close: promisify(close),
  sync: promisify(fsync),
  write: promisify<number, Uint8Array>(writeFile),
};

/** An attachment as a caller gives it (seed 003). */
export interface AttachmentInput {
  readonly name: string;
  readonly content: string;
  readonly encoding?: 'utf8' | 'base64' | undefined;
  readonly mimeType?: string | undefined;
}

/** An attachment that was checked. */
export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly mimeType?: string | undefined;
}

/** What the caller gets for its files. */
export interface AttachmentReceipt {
  readonly count: number;
  readonly totalBytes: number;
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
  /** From the workspace folder, with slashes. */
  readonly relDir: string;
}

/** Attachments that are not taken. The message begins with the code that the reference has for it. */
export class AttachmentError extends Error {
  override readonly name = 'AttachmentError';
}

/**
 * Checks and decodes all of them; nothing is written.
 * @throws AttachmentError with the codes of seed 003's reference
 */
export function checkAttachments(inputs: readonly AttachmentInput[]): readonly Attachment[] {
  if (inputs.length > MOST_FILES)
    throw new AttachmentError(`attachments_file_count_exceeded (maxFiles=${MOST_FILES})`);
  const names = new Set<string>();
  const checked: Attachment[] = [];
  let total = 0;
  for (const input of inputs) {
    const name = attachmentName(input.name);
    if (typeof name !== 'string')
      throw new AttachmentError(`attachments_invalid_name (${shown(input.name)} ${name.problem})`);
    // One file system or another takes both for one file.
    if (names.has(foldedName(name)))
      throw new AttachmentError(
        `attachments_duplicate_name (${shown(name)}: names must differ in more than case or Unicode form)`,
      );
    names.add(foldedName(name));
    const bytes = decoded(input, name);
    total += bytes.length;
    if (total > MOST_BYTES)
      throw new AttachmentError(`attachments_total_bytes_exceeded (maxTotalBytes=${MOST_BYTES})`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    checked.push({ name, bytes, sha256, mimeType: input.mimeType });
  }
  return checked;
}

function decoded({ content, encoding = 'utf8' }: AttachmentInput, name: string): Uint8Array {
  if (encoding === 'base64') {
    const most = Math.ceil(MOST_FILE_BYTES / 3) * 4;
    const bytes = content.length <= most && STANDARD_BASE64.test(content) && Buffer.from(content, 'base64');
    // Bits behind the last byte that are not zero would get lost: another text for the same bytes.
    if (bytes === false || bytes.toString('base64') !== content || bytes.length > MOST_FILE_BYTES)
      throw new AttachmentError(
        `attachments_invalid_base64_or_too_large (${shown(name)}: standard base64 with padding and without line breaks, at most ${MOST_FILE_BYTES} bytes)`,
      );
    return bytes;
  }
  if (!content.isWellFormed())
    throw new AttachmentError(
      `attachments_invalid_utf8 (${shown(name)} holds half a character; use encoding "base64")`,
    );
  const size = Buffer.byteLength(content);
  if (size > MOST_FILE_BYTES)
    throw new AttachmentError(
      `attachments_file_bytes_exceeded (${shown(name)} has ${size} bytes; maxFileBytes=${MOST_FILE_BYTES})`,
    );
  return Buffer.from(content);
}

/**
 * Lays checked attachments down in `<root>/.lodeline/attachments/<id>/` (0700, files 0600), each created new, on disk
 * when this resolves, and sealed where the store is: the tools of a spawned session open them. Nothing is left behind
 * when it fails.
 * @param id names their folder, which must not be there
 * @throws WorkspaceError when a link stands on the way; what the file system says.
 */
export async function stageAttachments(
  root: string,
  id: string,
  attachments: readonly Attachment[],
): Promise<AttachmentReceipt> {
  const receipt = {
    count: attachments.length,
    totalBytes: attachments.reduce((sum, { bytes }) => sum + bytes.length, 0),
    files: attachments.map(({ name, bytes, sha256 }) => ({ name, bytes: bytes.length, sha256 })),
    relDir: [...ATTACHMENTS, id].join('/'),
  };
  const types = attachments.flatMap(({ name, mimeType }) =>
    mimeType === undefined ? [] : [[name, mimeType]],
  );
  const manifest = Buffer.from(
    `${JSON.stringify({ ...receipt, mimeTypes: Object.fromEntries(types) }, undefined, 2).toWellFormed()}\n`,
  );
  const parent = await openPlace(root);
  try {
    mkdirSync(parent.at(id), 0o700);
    const written: string[] = [];
    const folder = parent.enter(id);
    try {
      for (const { name, bytes } of [...attachments, { name: MANIFEST, bytes: manifest }])
        await writeNew(folder, name, bytes, {
          file: join(realpathSync.native(root), receipt.relDir, name),
          written,
        });
      syncDir(folder.at('.'));
    } catch (error) {
      for (const name of written) folder.remove(name);
      rmdirSync(parent.at(id));
      throw error;
    } finally {
      folder.close();
    }
    return receipt;
  } finally {
    parent.close();
  }
}

/**
 * Removes what was laid down under this id, if it is still there. What somebody else put into its folder stays.
 * @throws WorkspaceError when a link stands on the way.
 */
export async function removeAttachments(root: string, id: string): Promise<void> {
  const parent = await openPlace(root);
  try {
    const folder = parent.enter(id);
    try {
      for (const entry of folder.entries()) if (!entry.isDirectory()) folder.remove(entry.name);
    } finally {
      folder.close();
    }
    rmdirSync(parent.at(id));
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    parent.close();
  }
}

/** Holds the folder of all attachments, made where it is missing, each step checked before the next. */
async function openPlace(root: string): Promise<HeldFolder> {
  let held = HeldFolder.open(realpathSync.native(root), []);
  try {
    for (const name of ATTACHMENTS) {
      makeFolder(held.at(name));
      const next = held.enter(name);
      held.close();
      held = next;
    }
    // Nothing that was handed over gets into a repository by itself.
    await writeIgnore(held);
    return held;
  } catch (error) {
    held.close();
    throw error;
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

async function writeIgnore(folder: HeldFolder): Promise<void> {
  try {
    await create(folder, '.gitignore', Buffer.from('*\n'));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** @param written is told the name as soon as there is such a file. */
async function writeNew(
  folder: HeldFolder,
  name: string,
  bytes: Uint8Array,
  { file, written }: { file: string; written: string[] },
): Promise<void> {
  await settledLater(file, async () => {
    const draft = `.${randomBytes(12).toString('hex')}.tmp`;
    try {
      await create(folder, draft, formedBytes(file, bytes));
      folder.replace(draft, name);
    } catch (error) {
      removeIfThere(folder, draft);
      throw error;
    }
    if (!written.includes(name)) written.push(name);
  });
}

function removeIfThere(folder: HeldFolder, name: string): void {
  try {
    folder.remove(name);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function create(folder: HeldFolder, name: string, bytes: Uint8Array): Promise<void> {
  const fd = folder.openFile(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await files.write(fd, bytes);
    await files.sync(fd);
  } finally {
    await files.close(fd);
  }
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80)).toWellFormed();
}
