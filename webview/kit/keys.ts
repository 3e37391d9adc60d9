/** Whether the event comes from a control in which letters are typed. */
export function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox' && target.type !== 'radio')
  );
}

/**
 * Ends an event that a panel has acted on. Stopping it matters as much as preventing its default: the editor
 * hears every key that reaches the window and would run its own command for it.
 */
export function handled(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** The key that deletes: Delete, on a Mac also Cmd+Backspace. */
export function isDelete(event: KeyboardEvent): boolean {
  return (event.key === 'Delete' && isPlain(event)) || (event.key === 'Backspace' && event.metaKey);
}

/** Alt+Left, which goes back in editors and browsers alike. */
export function isGoBack(event: KeyboardEvent): boolean {
  return event.altKey && event.key === 'ArrowLeft' && !event.ctrlKey && !event.metaKey && !event.shiftKey;
}

/** Ctrl, or Cmd on a Mac. */
export function isCommandKey(event: KeyboardEvent | MouseEvent): boolean {
  return event.ctrlKey || event.metaKey;
}

/** A key pressed alone, shift aside, and not as part of composing a character. */
export function isPlain(event: KeyboardEvent): boolean {
  return !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing;
}
