// Several profiles in one picture: each has its own root frame.

// The profiles as names of root frames with their weights, the heaviest first.
function profilesOf() {
  const weights = new Map();
  for (let node = 1; node < whole.count; node = whole.end[node]) {
    weights.set(whole.name[node], (weights.get(whole.name[node]) ?? ZERO) + whole.total[node]);
  }
  return [...weights].sort(([one, a], [other, b]) => compare(b, a) || compareNames(one, other));
}

// A list to choose one from, or null where there is one profile only.
function makeProfiles(bar) {
  if (facts.split === '') return null;
  const list = makeIn(bar, 'select', 'profiles', '', { 'aria-label': 'Profile', title: 'Profile (p)' });
  const profiles = profilesOf();
  makeIn(list, 'option', '', `All ${inDigits.format(profiles.length)} profiles`, { value: '' });
  for (const [name, weight] of profiles) {
    const word = `${nameText(name)} (${percent(weight, whole.total[0])})`;
    makeIn(list, 'option', '', word, { value: String(name) });
  }
  return list;
}

// Shows the profile that was chosen; the other steps stay.
function chooseProfile() {
  const steps = state.steps.filter(({ letter }) => letter !== 'p');
  const { value } = page.profiles;
  takeSteps(value === '' ? steps : [makeStep('p', Number(value)), ...steps]);
  markProfile();
}

function markProfile() {
  if (page.profiles === null) return;
  page.profiles.value = String(state.steps.find(({ letter }) => letter === 'p')?.what ?? '');
}
