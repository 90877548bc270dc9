// Names for clang's thread-safety attributes; other compilers see nothing.
#ifndef SWITCHBOARD_BASE_THREAD_ANNOTATIONS_H_
#define SWITCHBOARD_BASE_THREAD_ANNOTATIONS_H_

// This release of Abseil still defines some of the names below, to the same meaning, wherever one
// of its containers is included: taken away first, so that the order of includes does not matter.
#include "absl/base/thread_annotations.h"
#undef GUARDED_BY
#undef PT_GUARDED_BY
#undef NO_THREAD_SAFETY_ANALYSIS

#if defined(__clang__)
#define SWITCHBOARD_ATTRIBUTE_(x) __attribute__((x))
#else
#define SWITCHBOARD_ATTRIBUTE_(x)
#endif

// On data: may be touched only while the mutex is held.
#define GUARDED_BY(mutex) SWITCHBOARD_ATTRIBUTE_(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) SWITCHBOARD_ATTRIBUTE_(pt_guarded_by(mutex))
// On functions: the caller must hold, or must not hold, the mutex.
#define REQUIRES(...) SWITCHBOARD_ATTRIBUTE_(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) SWITCHBOARD_ATTRIBUTE_(locks_excluded(__VA_ARGS__))
// On lock types and their methods.
#define CAPABILITY(name) SWITCHBOARD_ATTRIBUTE_(capability(name))
#define SCOPED_CAPABILITY SWITCHBOARD_ATTRIBUTE_(scoped_lockable)
#define ACQUIRE(...) SWITCHBOARD_ATTRIBUTE_(acquire_capability(__VA_ARGS__))
#define RELEASE(...) SWITCHBOARD_ATTRIBUTE_(release_capability(__VA_ARGS__))
#define NO_THREAD_SAFETY_ANALYSIS SWITCHBOARD_ATTRIBUTE_(no_thread_safety_analysis)

#endif  // SWITCHBOARD_BASE_THREAD_ANNOTATIONS_H_
